import { combinations } from "./combinations.ts"
import * as JsAgent from "./jsAgent.ts"
import { suite } from "./suite.ts"

suite({ name: "@a2a-js/sdk", cardName: "JS agent", layer: JsAgent.layer, combinations })
