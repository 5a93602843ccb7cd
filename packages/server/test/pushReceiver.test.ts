import { AgentError } from "@effect-a2a/core"
import { PushReceiver } from "@effect-a2a/server"
import { Wire } from "@effect-a2a/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

const update = (state: string) => ({
  statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}` } }
})

interface Init {
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
}

const post = (body: unknown, { headers = {}, type = "application/json" }: Init = {}) =>
  HttpClientRequest.post("http://app.test/", { headers }).pipe(
    HttpClientRequest.bodyText(typeof body === "string" ? body : JSON.stringify(body), type),
    HttpClient.execute,
    Effect.map(({ status }) => status)
  )

const receive = (options: Partial<PushReceiver.Options<never>> = {}) => {
  const all: Array<PushReceiver.Notification> = []
  const onNotification = (one: PushReceiver.Notification) => Effect.sync(() => void all.push(one))
  return { all, server: Wire.layerHttp(PushReceiver.routes({ onNotification, ...options })) }
}

describe("PushReceiver", () => {
  it.effect("reads the bodies of both versions, under both media types", () => {
    const { all, server } = receive()
    return Effect.gen(function*() {
      const task = { kind: "task", id: "t-2", contextId: "c", status: { state: "completed" } }
      assert.strictEqual(yield* post(update("WORKING"), { type: "application/a2a+json" }), 204)
      assert.strictEqual(yield* post(task), 204)
      assert.deepStrictEqual(all.map(({ event, taskId }) => [event._tag, taskId]), [
        ["StatusUpdate", "t-1"],
        ["Task", "t-2"]
      ])
    }).pipe(Effect.provide(server))
  })

  it.effect("refuses other tokens, other types, and bodies that cannot be read, before the handler runs", () => {
    const { all, server } = receive({ token: Redacted.make("t-42") })
    return Effect.gen(function*() {
      const headers = { "x-a2a-notification-token": "t-42" }
      for (const token of [undefined, "", "t-4", "t-42x"]) {
        const given = token === undefined ? {} : { "x-a2a-notification-token": token }
        assert.strictEqual(yield* post(update("WORKING"), { headers: given }), 401, token)
      }
      assert.strictEqual(yield* post(update("WORKING"), { headers, type: "text/plain" }), 400)
      for (const body of ["", "{", "[]", { nothing: 1 }]) assert.strictEqual(yield* post(body, { headers }), 400)
      assert.strictEqual(yield* post(`"${"x".repeat(17 * 1024 * 1024)}"`, { headers }), 413)
      assert.deepStrictEqual(all, [])
      assert.strictEqual(yield* post(update("WORKING"), { headers }), 204)
    }).pipe(Effect.provide(server))
  })

  it.effect("marks duplicates by id and body, among the latest", () => {
    const { all, server } = receive({ maxRemembered: 2 })
    return Effect.gen(function*() {
      const sent = [["WORKING", "1"], ["WORKING", "1"], ["WORKING", "2"], ["COMPLETED", "1"], ["WORKING", "1"]] as const
      for (const [state, id] of sent) yield* post(update(state), { headers: { "webhook-id": id } })
      assert.deepStrictEqual(all.map(({ isDuplicate }) => isDuplicate), [false, true, false, false, false])
    }).pipe(Effect.provide(server))
  })

  it.effect("answers a failed handler so that the agent sends again, and does not take that for a duplicate", () => {
    const seen: Array<boolean> = []
    const { server } = receive({
      onNotification: ({ isDuplicate }) =>
        Effect.suspend(() => seen.push(isDuplicate) < 2 ? Effect.fail("not now") : Effect.void)
    })
    return Effect.gen(function*() {
      assert.strictEqual(yield* post(update("WORKING")), 500)
      assert.strictEqual(yield* post(update("WORKING")), 204)
      assert.deepStrictEqual(seen, [false, false])
    }).pipe(Effect.provide(server))
  })

  it.effect("asks a verification, with the header and the bytes", () => {
    const { all, server } = receive({
      verify: ({ authorization, body }) =>
        authorization !== undefined && Redacted.value(authorization) === `Bearer ${body.length}`
          ? Effect.void
          : Effect.fail(AgentError.reason("UnauthenticatedError", { message: "not signed" }))
    })
    return Effect.gen(function*() {
      const body = JSON.stringify(update("WORKING"))
      assert.strictEqual(yield* post(body), 401)
      assert.strictEqual(yield* post(body, { headers: { authorization: `Bearer ${body.length}` } }), 204)
      assert.strictEqual(all.length, 1)
    }).pipe(Effect.provide(server))
  })
})
