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
    // a subscription tells the task as it ended
    endedSubscription: "At last",
    // -32600
    endedMessage: "InvalidParamsError",
    // it lets the second snapshot pass and ends the stream
    broken: "StreamInterruptedError",
    // its REST handler trips over its own refusal where a stream was asked for
    ...(binding === "HTTP+JSON" && { unknownStream: "InternalError", unknownSubscription: "InternalError" })
  })
})
