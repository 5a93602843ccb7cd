/** MemoryLake's refusals, options, answers and ratings that are wrong everywhere. */
import { Id, type Task } from "@effect-a2a/core"
import { MemoryLake, MemoryLakeAnswer, MemoryLakeOptions, TaskFeedback } from "@effect-a2a/memorylake"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Combination, combinations, isRpc } from "../support/peer.ts"
import * as Client from "./client.ts"
import { all, costly, kindsAt, nameOf, places, plant } from "./documents.ts"
import { assertLinear, outcome } from "./support.ts"

/** The combinations as a client of the service speaks them. */
const patched = combinations.map((one): Combination => ({
  ...one,
  protocol: MemoryLake.protocol(one.protocol) as Combination["protocol"]
}))

const inner = {
  error: {
    code: 400,
    status: "FAILED_PRECONDITION",
    message: "m",
    details: [{
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "a", description: "b" }]
    }]
  }
}

const envelope = { success: false, error_code: "INVALID_ARGUMENT", message: "m" }

const answer = (one: Combination, text: string, isError: boolean): Client.Answer => (asked) =>
  new Response(isError && isRpc(one) ? Client.enveloped(one, asked, "error", text) : text, {
    headers: { "content-type": "application/json" }
  })

describe.each(patched)("MemoryLake over $name", (one) => {
  it.live("refuses in few words, whatever its body is made of, and a document within its message", () =>
    Effect.scoped(Effect.gen(function*() {
      const call = yield* Effect.orDie(Client.make(one))
      for (const path of places(envelope)) {
        for (const [kind, make] of Object.entries(kindsAt(envelope, path))) {
          const name = `${kind} at ${nameOf(path)}`
          yield* outcome(call("GetTask", answer(one, plant(envelope, path, make(300)), false)), name)
        }
      }
      // the versions read the document alike
      const isRead = one.protocol.version === "0.3"
      for (const path of places(inner).filter(({ length }) => !isRead || length < 2)) {
        for (const [kind, make] of Object.entries(kindsAt(inner, path))) {
          const name = `${kind} at ${nameOf(path)} within the message`
          const message = plant(inner, path, make(kind.includes("chain") ? 20_000 : 300))
          yield* outcome(call("GetTask", answer(one, JSON.stringify({ ...envelope, message }), false)), name)
          yield* outcome(call("GetTask", answer(one, JSON.stringify({ code: -32603, message }), true)), name)
        }
      }
    })))
})

const options: MemoryLakeOptions.Options = {
  actorId: MemoryLakeOptions.actorId(`actor-${"0".repeat(32)}`),
  readOnlyProjectIds: [MemoryLakeOptions.projectId(`proj-${"0".repeat(32)}`)],
  skipMemory: true,
  overrides: {
    model: "m",
    modelParams: { maxTokens: 1, topP: 0.5 },
    capabilitiesOverride: { web_search: { open_datasets: ["drug/database"] }, pii: {} }
  },
  runtimeOptions: { language: "English" },
  extra: { newer: [1] }
}

describe("options of MemoryLake", () => {
  const sample = MemoryLakeOptions.encode(options)

  it.live("are read, whatever they are made of, at the same cost for each member, and written as they were read", () =>
    Effect.gen(function*() {
      for (const path of places(sample)) {
        for (const [kind, make] of Object.entries(all)) {
          const name = `${kind} at ${nameOf(path)}`
          const json = JSON.parse(plant(sample, path, make(300)))
          const written = MemoryLakeOptions.encode(MemoryLakeOptions.decode(json))
          assert.deepStrictEqual(MemoryLakeOptions.encode(MemoryLakeOptions.decode(written)), written, name)
        }
        for (const [kind, make] of Object.entries(costly)) {
          yield* assertLinear(
            (count) => Effect.sync(() => MemoryLakeOptions.decode(JSON.parse(plant(sample, path, make(count))))),
            `${kind} at ${nameOf(path)}`
          )
        }
      }
    }))
})

describe("answers and ratings of MemoryLake", () => {
  const parts = [
    {
      kind: "attachments",
      attachments: [{ name: "n", mime_type: "a/b", presign_url: "https://a.test", committed: true }]
    },
    { kind: "recommended_questions", questions: ["q"] }
  ]
  const sample = { parts, rating: { rating: "up", comment: "c" } }

  const taskOf = (json: { readonly parts: any; readonly rating: any }): Task.Task => ({
    _tag: "Task",
    id: Id.TaskId.make("t-1"),
    status: { state: "completed" },
    metadata: { [TaskFeedback.metadataKey]: json.rating },
    artifacts: [{
      artifactId: Id.ArtifactId.make("a-1"),
      parts: [
        { _tag: "Text", text: "hi" },
        ...[json.parts].flat().map((data: any) => ({ _tag: "Data" as const, data }))
      ]
    }]
  })

  it.live("are read, whatever they are made of, at the same cost for each member", () =>
    Effect.gen(function*() {
      for (const path of places(sample).slice(1)) {
        for (const [kind, make] of Object.entries({ ...all, ...costly })) {
          const read = (count: number) =>
            Effect.sync(() => {
              const task = taskOf(JSON.parse(plant(sample, path, make(count))))
              const answer = MemoryLakeAnswer.fromTask(task)
              const strings = answer?.attachments.flatMap((one) => Object.values(one)) ?? []
              assert.isTrue([...strings, ...answer?.recommendedQuestions ?? []].every((one) => typeof one !== "object"))
              assert.include([undefined, "up", "down"], TaskFeedback.fromTask(task)?.rating)
            })
          yield* kind in costly ? assertLinear(read, `${kind} at ${nameOf(path)}`) : read(300)
        }
      }
    }))
})
