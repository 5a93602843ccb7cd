/** No error contains a secret of its request, whatever its class. A class without a case fails the test. */
import { Agent, AgentError, CardVerifier, Discovery, HttpBinding, Id, OAuth, Timeouts } from "@effect-a2a/core"
import { Rest } from "@effect-a2a/transport-rest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { covers } from "../support/covers.ts"
import {
  chunks,
  type Combination,
  combination,
  combinations,
  event,
  frame,
  inEach,
  isRpc,
  result,
  rpcError,
  taskJson
} from "../support/peer.ts"
import { type Asked, respond } from "../support/respond.ts"
import * as Secrets from "./support.ts"

type Tag = AgentError.AgentErrorReason["_tag"]
type Call = Effect.Effect<unknown, AgentError.AgentError, Agent.Agent>
type Answer = (asked: Asked, combination: Combination, said: string) => Response

const options = { taskPushNotificationConfig: Secrets.webhook }
const send: Call = Agent.send("hi", options)
const stream: Call = Stream.runDrain(Agent.stream("hi", options))
const getTask: Call = Agent.getTask(Id.TaskId.make("t-1"))

/** A peer that answers, with all credentials. */
const agent = (one: Combination, http: Layer.Layer<HttpClient.HttpClient>, credentials = Secrets.layerPlanted) =>
  Agent.layer.pipe(
    Layer.provide(one.client({ url: Secrets.withQuery("https://agent.test/a2a"), protocol: one.protocol })),
    Layer.provide([http, credentials])
  )

/** Fails with the reason, and asserts that nothing shows a secret. */
const check = (tag: Tag, call: Effect.Effect<unknown, AgentError.AgentError>, where: string) =>
  Effect.gen(function*() {
    const { error, exit, logs, spans } = yield* Secrets.observed(Secrets.withSecrets(call))
    if (exit._tag === "Success") return assert.fail(`${where}: succeeded`)
    const failure = yield* Effect.flip(exit)
    assert.strictEqual(failure.reason._tag, tag, `${where}: ${failure.message.slice(0, 300)}`)
    const problem = JSON.stringify(AgentError.toProblemDetails(failure))
    for (const [place, text] of Object.entries({ error, logs, spans, problem })) {
      assert.deepStrictEqual(Secrets.found(text, Secrets.secrets), [], `${where}, ${place}`)
    }
  })

/** In each combination, for each call: the peer answers with all that it knows, beginning each time with another form. */
const byPeer = (tag: Tag, answer: Answer, calls: ReadonlyArray<Call> = [send, stream, getTask], among = combinations) =>
  inEach((one) =>
    Effect.forEach(calls, (call, index) => {
      const said = Secrets.repeated(among.indexOf(one) * 50 + index * 17, call !== getTask)
      const { layer } = respond((asked) => answer(asked, one, said))
      return check(tag, Effect.provide(call, agent(one, layer)), `${one.name}, ${index}`)
    }, { discard: true }), among)

const headersOf = (said: string) => ({
  "content-type": "application/json",
  // a header has no other characters
  "www-authenticate": `Bearer error="${said.replace(/[^ -~]/g, "")}"`
})

/** A refusal with a word of the protocol, or of the agent. */
const refusal = (word: string, status: number): Answer => (asked, one, said) => {
  const details = [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: word,
      domain: "a2a-protocol.org",
      metadata: { [said]: said, supportedVersions: "0.9" }
    },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: said, description: said }]
    }
  ]
  const message = `refused: ${said}`
  return isRpc(one)
    ? new Response(rpcError(asked, { code: -32099, message, data: details }), { headers: headersOf(said) })
    : new Response(JSON.stringify({ error: { code: status, message, details, [said]: [said] } }), {
      status,
      headers: headersOf(said)
    })
}

/** A refusal by the status alone, as a gateway answers. */
const byStatus = (status: number): Answer => (_, __, said) =>
  new Response(`<h1>${said}</h1>`, { status, headers: { ...headersOf(said), "content-type": "text/html" } })

const refused = (tag: Tag, word: string, status: number) => () => byPeer(tag, refusal(word, status), [send])

const task = (tag: Tag, state: string) => () =>
  byPeer(tag, (asked, one, said) => {
    const body = taskJson(one, state, { metadata: { [said]: said } }) as { readonly status: object }
    const message = { messageId: "m", role: one.protocol.version === "1.0" ? "ROLE_AGENT" : "agent" }
    const kind = one.name === "0.3 JSONRPC"
    const part = { ...kind && { kind: "text" }, text: said }
    const parts = one.name === "0.3 HTTP+JSON" ? { content: [part] } : { parts: [part] }
    const role = one.name === "0.3 HTTP+JSON" ? { role: "ROLE_AGENT" } : {}
    const failed = {
      ...body,
      status: { ...body.status, message: { ...message, ...role, ...parts, ...kind && { kind: "message" } } }
    }
    const json = result(one, asked, kind ? failed : { task: failed })
    return new Response(json, { headers: { "content-type": "application/json" } })
  }, [send, stream])

const connection = inEach((one) =>
  Effect.gen(function*() {
    const said = Secrets.repeated()
    const cause = Object.assign(new Error(`connect to ${said}`, { cause: new Error(said) }), { code: said, [said]: 1 })
    const http = HttpClient.make((request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause, description: said })
        })
      )
    )
    const layer = Layer.succeed(HttpClient.HttpClient, http)
    yield* check("ConnectionError", Effect.provide(send, agent(one, layer)), one.name)
    const places = (said: string) => [
      `https://${Secrets.planted.bearer.replace(/[^\w]/g, "").toLowerCase()}.evil.test/${encodeURIComponent(said)}`,
      `http://[${said.replace(/[^ -~]/g, "")}`
    ]
    for (const index of [0, 1]) {
      const { layer } = respond(() =>
        new Response(null, { status: 307, headers: { location: places(Secrets.repeated().slice(0, 4000))[index]! } })
      )
      yield* check("ConnectionError", Effect.provide(send, agent(one, layer)), `${one.name}, redirect ${index}`)
    }
  })
)

const rest = combination("1.0 HTTP+JSON")

const cases: Readonly<Record<Tag, () => Effect.Effect<unknown, unknown>>> = {
  InvalidRequestError: () =>
    Effect.gen(function*() {
      const { layer } = respond(() => Response.json({}))
      const dots = Effect.flatMap(Agent.Agent, (agent) => agent.getTask(Id.TaskId.make("..")))
      yield* check("InvalidRequestError", Effect.provide(dots, agent(rest, layer)), "dots")
      const url = `https://ada:${encodeURIComponent(Secrets.secrets.password!)}@agent.test`
      const withUser = Agent.layer.pipe(
        Layer.provide(Rest.layer({ url })),
        Layer.provide([layer, Secrets.layerPlanted])
      )
      yield* check("InvalidRequestError", Effect.provide(send, withUser), "user info")
    }),
  OperationNotInProtocolError: () =>
    byPeer("OperationNotInProtocolError", () => Response.json({}), [
      Effect.flatMap(Agent.Agent, (agent) => Stream.runDrain(agent.listTasks()))
    ], [combination("0.3 JSONRPC")]),
  NoCompatibleInterfaceError: () =>
    Effect.gen(function*() {
      const { layer } = respond(() =>
        Response.json({
          name: "x",
          description: "d",
          version: "1",
          supportedInterfaces: [{
            url: `https://agent.test/${Secrets.repeated(0, false)}`,
            protocolBinding: Secrets.repeated(0, false),
            protocolVersion: "1.0"
          }],
          capabilities: {},
          defaultInputModes: [],
          defaultOutputModes: [],
          skills: []
        })
      )
      const found = Agent.layer.pipe(
        Layer.provide(Discovery.layer({ agent: Secrets.withQuery("https://agent.test/x"), bindings: [Rest.binding] })),
        Layer.provide([layer, Secrets.layerPlanted])
      )
      yield* check("NoCompatibleInterfaceError", Effect.provide(send, found), "discovery")
    }),
  UntrustedCardError: () =>
    Effect.gen(function*() {
      const said = { kid: Secrets.repeated(0, false), url: `https://agent.test/${Secrets.repeated(0, false)}` }
      const { layer } = respond(() =>
        Response.json({ name: said.kid, supportedInterfaces: [{ ...said, protocolBinding: "HTTP+JSON" }] })
      )
      const verifier: CardVerifier.CardVerifier = {
        verify: (document, { url }) =>
          Effect.fail(
            new AgentError.UntrustedCardError({ message: `${url} ${JSON.stringify(document)}`, problem: "unsigned" })
          )
      }
      const found = Agent.layer.pipe(
        Layer.provide(Discovery.layer({ agent: Secrets.withQuery("https://agent.test/x"), bindings: [Rest.binding] })),
        Layer.provide([layer, Secrets.layerPlanted, Layer.succeed(CardVerifier.Current, verifier)])
      )
      yield* check("UntrustedCardError", Effect.provide(send, found), "discovery")
      const extended = Effect.flatMap(Agent.Agent, (agent) => agent.extendedCard)
      const direct = agent(rest, layer).pipe(Layer.provide(Layer.succeed(CardVerifier.Current, verifier)))
      yield* check("UntrustedCardError", Effect.provide(extended, direct), "an extended card")
    }),
  CredentialsUnavailableError: () =>
    Effect.gen(function*() {
      const { layer } = respond(() => Response.json({ error: "pl4nted", [Secrets.repeated()]: 1 }, { status: 400 }))
      const credentials = OAuth.layerRefreshToken({
        tokenUrl: Secrets.withQuery("https://auth.test/token"),
        clientId: "me",
        clientSecret: Redacted.make(Secrets.secrets.password!),
        refreshToken: Redacted.make(Secrets.planted.bearer)
      })
      const one = agent(rest, layer, Layer.provide(credentials, layer))
      yield* check("CredentialsUnavailableError", Effect.provide(send, one), "a token endpoint")
    }),
  ConnectionError: () => connection,
  TimeoutError: () =>
    Effect.gen(function*() {
      const http = Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never))
      const call = Effect.provide(send, agent(rest, http)).pipe(
        Effect.provideService(Timeouts.CurrentTimeouts, { response: "1 second", idle: undefined, total: undefined })
      )
      const fiber = yield* Effect.forkChild(check("TimeoutError", call, "a peer without an answer"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
    }),
  StreamInterruptedError: () =>
    byPeer("StreamInterruptedError", (asked, one, said) => {
      const working = event(one, asked, {
        _tag: "Task",
        id: Id.TaskId.make(said),
        contextId: Id.ContextId.make(said),
        status: { state: "working" }
      })
      return chunks([frame(working)], { end: "reset" })
    }, [stream]),
  UnauthenticatedError: () =>
    Effect.andThen(
      byPeer("UnauthenticatedError", byStatus(401)),
      byPeer("UnauthenticatedError", refusal("UNAUTHENTICATED", 401))
    ),
  AccessDeniedError: refused("AccessDeniedError", "ACCESS_DENIED", 403),
  RateLimitError: refused("RateLimitError", "RATE_LIMIT_EXCEEDED", 429),
  QuotaExceededError: refused("QuotaExceededError", "QUOTA_EXCEEDED", 402),
  ServiceUnavailableError: () => byPeer("ServiceUnavailableError", byStatus(503)),
  InvalidArgumentError: refused("InvalidArgumentError", "INVALID_ARGUMENT", 400),
  NotFoundError: () => byPeer("NotFoundError", byStatus(404), [send]),
  StateNotReadyError: refused("StateNotReadyError", "STATE_NOT_READY", 400),
  ActorInactiveError: refused("ActorInactiveError", "ACTOR_INACTIVE", 400),
  TaskNotFoundError: refused("TaskNotFoundError", "TASK_NOT_FOUND", 404),
  TaskNotCancelableError: refused("TaskNotCancelableError", "TASK_NOT_CANCELABLE", 409),
  PushNotificationNotSupportedError: refused(
    "PushNotificationNotSupportedError",
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    400
  ),
  UnsupportedOperationError: refused("UnsupportedOperationError", "UNSUPPORTED_OPERATION", 400),
  ContentTypeNotSupportedError: refused("ContentTypeNotSupportedError", "CONTENT_TYPE_NOT_SUPPORTED", 415),
  InvalidAgentResponseError: refused("InvalidAgentResponseError", "INVALID_AGENT_RESPONSE", 502),
  ExtendedAgentCardNotConfiguredError: refused(
    "ExtendedAgentCardNotConfiguredError",
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    400
  ),
  ExtensionSupportRequiredError: refused("ExtensionSupportRequiredError", "EXTENSION_SUPPORT_REQUIRED", 400),
  VersionNotSupportedError: refused("VersionNotSupportedError", "VERSION_NOT_SUPPORTED", 400),
  InvalidParamsError: refused("InvalidParamsError", "INVALID_PARAMS", 400),
  MethodNotFoundError: refused("MethodNotFoundError", "METHOD_NOT_FOUND", 404),
  InternalError: refused("InternalError", "INTERNAL_ERROR", 500),
  TaskFailedError: task("TaskFailedError", "failed"),
  TaskCanceledError: task("TaskCanceledError", "canceled"),
  TaskRejectedError: task("TaskRejectedError", "rejected"),
  MalformedResponseError: () =>
    Effect.forEach(
      [
        (_, __, said) => new Response(said, { headers: { "content-type": "text/html" } }),
        (_, __, said) => new Response(said, { headers: { "content-type": said.slice(0, 90).replace(/[^\w/-]/g, "") } }),
        (_, __, said) => new Response(said, { headers: { "content-type": "application/json" } }),
        (_, __, said) => Response.json(said),
        (asked, one, said) =>
          new Response(result(one, asked, { [said]: said, id: [said], task: { id: 1, [said]: said } })),
        (_, __, said) => chunks([`data: ${said}\n\n`]),
        (_, __, said) => chunks([...`event: error\ndata: ${said}\n\n`.match(/[^]{1,7}/g)!])
      ] satisfies ReadonlyArray<Answer>,
      (answer) => byPeer("MalformedResponseError", answer)
    ),
  ResponseTooLargeError: () =>
    byPeer("ResponseTooLargeError", (_, __, said) => Response.json(said.repeat(3))).pipe(
      Effect.updateService(HttpBinding.CurrentLimits, (limits) => ({ ...limits, maxEventSize: 9, maxResponseSize: 9 }))
    ),
  UnknownError: () =>
    byPeer("UnknownError", (asked, one, said) => refusal(said, 0)(asked, one, said), [send], [
      combination("1.0 JSONRPC"),
      combination("0.3 JSONRPC")
    ])
}

describe("an error", () => {
  it("of every class has a case", () => {
    const classes = AgentError.AgentErrorReason.members.map(({ fields }) => fields._tag.schema.literal)
    assert.deepStrictEqual(Object.keys(cases).sort(), [...classes].sort())
  })

  for (const [tag, run] of Object.entries(cases)) {
    it.effect(`${tag} shows no secret of its request`, run, covers("attack:S2-31", "attack:S2-32", "field:SEC-01"))
  }
})
