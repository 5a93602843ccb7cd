import { pythonPeer } from "./peer.ts"
import { suite } from "./suite.ts"

suite(pythonPeer)
