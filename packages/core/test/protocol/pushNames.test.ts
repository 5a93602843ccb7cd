/** Names of push configurations: whatever the ids of task and configuration contain, a peer reads the same ids. */
import { Id, Protocol } from "@effect-a2a/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"

const pieces = [
  "a",
  "/",
  "%",
  "%2F",
  "..",
  "pushNotificationConfigs",
  "/pushNotificationConfigs/",
  "tasks/",
  "é",
  " ",
  "?"
]
const Text = Arbitrary.schema(Schema.Array(Schema.Literals(pieces as [string, ...Array<string>])))

for (const protocol of [Protocol.v1_0, Protocol.v0_3]) {
  for (const binding of ["rest", "jsonRpc"] as const) {
    describe(`push configurations of ${protocol.version} over ${binding}`, () => {
      const { request, success } = protocol[binding].dialect

      it.prop("keep ids of any content, in requests and responses", [Text, Text, Arbitrary.schema(Schema.Boolean)], (
        [task, config, hasId]
      ) => {
        const id = config.join("")
        const value = {
          taskId: Id.TaskId.make(task.join("") || "t"),
          url: "https://hook.test/",
          ...(hasId && id !== "" ? { id } : {})
        }
        for (const codec of [request.CreateTaskPushNotificationConfig, success.CreateTaskPushNotificationConfig]) {
          assert(codec !== undefined)
          const json = Result.getOrThrow(codec.encode(value))
          const read = Result.getOrThrow(codec.decode(JSON.parse(JSON.stringify(json))))
          assert.deepStrictEqual(
            { id: read.id || undefined, taskId: read.taskId, url: read.url },
            { id: value.id, taskId: value.taskId, url: value.url }
          )
        }
      })
    })
  }
}
