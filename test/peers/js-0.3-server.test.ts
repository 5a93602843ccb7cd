import { combinations } from "./combinations.ts"
import * as Js03Agent from "./js03Agent.ts"
import { suite } from "./suite.ts"

suite({
  name: "@a2a-js/sdk 0.3",
  cardName: "JS 0.3 agent",
  layer: Js03Agent.layer,
  combinations: combinations.filter(({ protocol }) => protocol.version === "0.3"),
  differs: ({ binding }) => ({
    history: 0,
    // a subscription returns the finished task
    endedSubscription: "At last",
    // -32600
    endedMessage: "InvalidParamsError",
    // it accepts the second snapshot and ends the stream
    broken: "StreamInterruptedError",
    // its REST handler fails on its own refusal of a stream
    ...(binding === "HTTP+JSON" && { unknownStream: "InternalError", unknownSubscription: "InternalError" })
  })
})
