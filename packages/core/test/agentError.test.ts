import * as AgentError from "@effect-a2a/core/AgentError"
import * as Id from "@effect-a2a/core/Id"
import type * as Task from "@effect-a2a/core/Task"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

type Tag = AgentError.AgentErrorReason["_tag"]

const task: Task.Task = { _tag: "Task", id: Id.TaskId.make("t-1"), status: { state: "failed" } }

/** Fields that only some reasons require. */
const required = {
  protocolVersion: "0.3",
  offered: [],
  installed: [],
  phase: "total",
  task,
  dialect: "A2A 1.0",
  issue: "status",
  maxLength: 1,
  isResumable: true,
  problem: "unsigned"
}

const make = (tag: Tag): AgentError.AgentErrorReason => {
  const fields = { _tag: tag, code: "X", message: "m", isRetryable: false, ...required }
  return Schema.decodeUnknownSync(AgentError.AgentErrorReason)(fields)
}

describe("AgentError", () => {
  it("every reason has an origin and a status for one's own callers", () => {
    const table: Readonly<Record<Tag, readonly [AgentError.Origin, number]>> = {
      InvalidRequestError: ["local", 400],
      OperationNotInProtocolError: ["local", 501],
      NoCompatibleInterfaceError: ["local", 502],
      UntrustedCardError: ["local", 502],
      CredentialsUnavailableError: ["local", 500],
      ConnectionError: ["network", 502],
      TimeoutError: ["network", 504],
      StreamInterruptedError: ["network", 502],
      UnauthenticatedError: ["policy", 502],
      AccessDeniedError: ["policy", 403],
      RateLimitError: ["policy", 429],
      QuotaExceededError: ["policy", 402],
      ServiceUnavailableError: ["policy", 503],
      InvalidArgumentError: ["agent", 400],
      NotFoundError: ["agent", 404],
      StateNotReadyError: ["agent", 409],
      ActorInactiveError: ["agent", 403],
      TaskNotFoundError: ["agent", 404],
      TaskNotCancelableError: ["agent", 409],
      PushNotificationNotSupportedError: ["agent", 501],
      UnsupportedOperationError: ["agent", 501],
      ContentTypeNotSupportedError: ["agent", 415],
      InvalidAgentResponseError: ["agent", 502],
      ExtendedAgentCardNotConfiguredError: ["agent", 501],
      ExtensionSupportRequiredError: ["agent", 502],
      VersionNotSupportedError: ["agent", 502],
      InvalidParamsError: ["agent", 400],
      MethodNotFoundError: ["agent", 501],
      InternalError: ["agent", 502],
      TaskFailedError: ["task", 502],
      TaskCanceledError: ["task", 409],
      TaskRejectedError: ["task", 422],
      MalformedResponseError: ["contract", 502],
      ResponseTooLargeError: ["contract", 502],
      UnknownError: ["other", 502]
    }
    const name = <O extends AgentError.Origin>(origin: O) => (reason: AgentError.ReasonOf<O>) =>
      [origin, AgentError.httpStatus(reason)] as const
    const origins = AgentError.matchOrigin({
      local: name("local"),
      network: name("network"),
      policy: name("policy"),
      agent: name("agent"),
      task: name("task"),
      contract: name("contract"),
      other: name("other")
    })
    const actual = Object.keys(table).map((tag) => {
      const error = new AgentError.AgentError({ operation: "test", reason: make(tag as Tag) })
      assert.strictEqual(error.origin, table[tag as Tag][0])
      return [tag, origins(error)]
    })
    assert.deepStrictEqual(Object.fromEntries(actual), table)
  })

  it("problem details say no more than a title for a status of 500 and more, and never the URL", () => {
    const at = (reason: AgentError.AgentErrorReason) =>
      AgentError.toProblemDetails(
        new AgentError.AgentError({ operation: "SendMessage", target: "https://secret.test/a2a", reason })
      )
    const violations = [{ field: "message.parts", description: "must not be empty" }]
    assert.deepStrictEqual(
      [
        at(AgentError.reason("RateLimitError", { message: "slow down", retryAfter: "1500 millis", details: { a: 1 } })),
        at(AgentError.reason("InvalidParamsError", { message: "no", violations })),
        at(AgentError.reason("ConnectionError", { message: "connect ECONNREFUSED secret.test" })),
        at(AgentError.reason("TaskFailedError", { message: "out of paper", task }))
      ],
      [
        {
          type: "about:blank",
          status: 429,
          title: "Too many requests",
          detail: "slow down",
          code: "RATE_LIMIT_EXCEEDED",
          retryAfter: 2
        },
        {
          type: "about:blank",
          status: 400,
          title: "The agent found the request invalid",
          detail: "no",
          code: "INVALID_PARAMS",
          violations
        },
        { type: "about:blank", status: 502, title: "The agent could not be reached", code: "CONNECTION" },
        {
          type: "about:blank",
          status: 502,
          title: "The task failed",
          detail: "out of paper",
          code: "TASK_STATE_FAILED"
        }
      ]
    )
  })

  it("mapReason keeps operation and target; withFields keeps message, cause and the other fields", () => {
    const cause = new Error("ECONNRESET")
    const reason = AgentError.reason("ConnectionError", { message: "reset", cause, status: 502 })
    const error = new AgentError.AgentError({ operation: "GetTask", target: "https://agent.test", reason })
    const renamed = AgentError.mapReason(error, (reason) => AgentError.withFields(reason, { retryAfter: "2 seconds" }))
    assert.strictEqual(renamed.message, "GetTask at https://agent.test: reset (CONNECTION)")
    assert.strictEqual(renamed.reason.cause, cause)
    assert.deepStrictEqual(renamed.retryAfter, Duration.seconds(2))
    assert.strictEqual(renamed.reason.status, 502)
    assert.strictEqual(AgentError.withFields(reason, { message: "later" }).message, "later")
  })

  it("durations are anything that is one", () => {
    for (const retryAfter of ["2 seconds", 2000, Duration.seconds(2)] as const) {
      assert.deepStrictEqual(
        AgentError.make("GetTask", "RateLimitError", { message: "later", retryAfter }).retryAfter,
        Duration.seconds(2)
      )
    }
  })

  it.effect("catching Effect's TimeoutError leaves the reason of that name alone, and the other way round", () =>
    Effect.gen(function*() {
      const reason = AgentError.make("GetTask", "TimeoutError", { message: "late", phase: "total" })
      const either = (fails: boolean) =>
        Effect.flatMap(
          Effect.void,
          (): Effect.Effect<string, AgentError.AgentError | Cause.TimeoutError> =>
            Effect.fail(fails ? reason : new Cause.TimeoutError())
        )
      const caught = (fails: boolean) =>
        either(fails).pipe(
          Effect.catchTag("TimeoutError", (error) => Effect.succeed(`effect: ${Cause.isTimeoutError(error)}`)),
          Effect.catchReason("AgentError", "TimeoutError", ({ phase }) => Effect.succeed(`reason: ${phase}`)),
          Effect.result
        )
      assert.deepStrictEqual([yield* caught(false), yield* caught(true)], [
        Result.succeed("effect: true"),
        Result.succeed("reason: total")
      ])
    }))

  it("a task that did not succeed is a reason, with the agent's message if there is one", () => {
    const of = (state: Task.Task["status"]["state"]) => {
      const reason = AgentError.fromTask({ ...task, status: { state } })
      return reason && [reason._tag, reason.message]
    }
    assert.deepStrictEqual([of("completed"), of("input-required"), of("failed"), of("canceled"), of("rejected")], [
      undefined,
      undefined,
      ["TaskFailedError", "the task failed"],
      ["TaskCanceledError", "the task was canceled"],
      ["TaskRejectedError", "the agent rejected the task"]
    ])
  })

  it("errors are encoded as JSON and decoded again", () => {
    const codec = Schema.toCodecJson(AgentError.AgentError)
    const error = AgentError.make("GetTask", "RateLimitError", { message: "later", retryAfter: "2 seconds" })
    const decoded = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeSync(codec)(error))))
    assert.strictEqual(decoded.message, error.message)
    assert.deepStrictEqual(decoded.retryAfter, Duration.seconds(2))
  })
})
