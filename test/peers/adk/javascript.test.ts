import { javascriptPeer } from "./peer.ts"
import { suite } from "./suite.ts"

suite(javascriptPeer)
