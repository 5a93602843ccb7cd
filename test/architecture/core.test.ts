/** The directions of imports in core, internals and types included. */
import { assert, describe, it } from "@effect/vitest"
import { all, offences, parse, sourcesOf } from "./support.ts"

const words = (text: string) => text.trim().split(/\s+/)

const model = words(
  "Id Metadata Part Message Artifact TaskState Task StreamEvent AgentCard SecurityScheme PushNotification"
)

/** Modules and folders, each layer on those before it. `internal/x` is the folder of that name. */
const layers: ReadonlyArray<ReadonlyArray<string>> = [
  [...model, "KeyedLock"],
  words(`
    ConversationState Operation AgentError AgentStream Answer Step TaskProgress ToolCall Recognizer ServiceParameters
    internal/errors internal/turn
  `),
  words("Dialect ClientProtocol Protocol Transport Credential Timeouts internal/protocol"),
  words("AgentTransport Resilience internal/transport"),
  words(`
    CardVerifier HttpBinding HttpTransport HttpPeer HttpExchange Telemetry ServedInterfaces PublicOrigin EventPosition Authenticator ServerHandler
    ServerSentEvents AddressGuard Credentials OriginPolicy OAuth Discovery
    internal/binding internal/http internal/card internal/credentials
  `),
  words("Agent Connector internal/client"),
  words("Conversation Conversations internal/conversation")
]

/** `Task`, or `internal/http` for each file below it. */
const unitOf = (file: string | undefined): string | undefined =>
  /^packages\/core\/src\/((?:internal\/)?\w+)/.exec(file ?? "")?.[1]

const layerOf = (unit: string): number => layers.findIndex((units) => units.includes(unit))

const core = sourcesOf("core").filter(({ file }) => unitOf(file) !== "index")

const isModel = (file: string | undefined): boolean => model.includes(unitOf(file) ?? "")

describe("core", () => {
  it("has a layer for each module and for each folder of internals", () => {
    const units = core.map(({ file }) => unitOf(file) ?? file)
    assert.deepStrictEqual([...new Set(units)].filter((unit) => layerOf(unit) === -1), [], "add them to `layers` here")
  })

  it("imports from the same layer or a lower one only", () => {
    assert.deepStrictEqual(
      offences(core, ({ file }, { target }) => {
        const [self, other] = [unitOf(file), unitOf(target)]
        return self !== undefined && layerOf(self) !== -1 && other !== undefined && layerOf(other) > layerOf(self)
      }),
      []
    )
  })

  it("reads streams and answers with nothing but the model", () => {
    const readers = ["AgentStream", "Answer", "Step", "TaskProgress", "ToolCall", "internal/turn"]
    assert.deepStrictEqual(
      offences(core, ({ file }, { target }) => {
        const other = unitOf(target)
        return readers.includes(unitOf(file) ?? "") && other !== undefined &&
          ![...model, ...readers, "AgentError"].includes(other)
      }),
      []
    )
  })

  it("keeps protocol versions free of HTTP, bindings and transports", () => {
    assert.deepStrictEqual(
      offences(core, ({ file }, { specifier, target }) =>
        unitOf(file) === "internal/protocol" &&
        (specifier.startsWith("effect/http") || ["Transport", "Timeouts"].includes(unitOf(target) ?? ""))),
      []
    )
  })

  it("hides the model from the bindings", () => {
    const bindings = sourcesOf("transport-rest", "transport-jsonrpc")
    assert.deepStrictEqual(offences(bindings, (_, { isType, target }) => !isType && isModel(target)), [])
  })
})

// -----------------------------------------------------------------------------
// words of the wire
// -----------------------------------------------------------------------------

const wire =
  /message\/(send|stream)|tasks\/(get|cancel|resubscribe)|\bROLE_(USER|AGENT)\b|\bTASK_STATE_|^blocking$|\/v1\//
const wireHomes = /^packages\/(core\/src\/internal\/(protocol|errors)|memorylake\/src\/internal|transport-adk)\//

describe("words of the wire", () => {
  it("occur in protocol versions, the table of errors and patches of vendors only", () => {
    const elsewhere = all.filter(({ file }) => !wireHomes.test(file))
    assert.deepStrictEqual(elsewhere.flatMap(({ words }) => words.filter(({ what }) => wire.test(what))), [])
  })

  it("are found in strings, templates and keys, and not in comments", () => {
    const { words } = parse(
      "packages/server/src/Example.ts",
      "// ROLE_USER\nconst x = { blocking: \"message/send\", y: `a/v1/${1}`, ROLE_AGENT: 1 }"
    )
    assert.deepStrictEqual(words.filter(({ what }) => wire.test(what)).map(({ what }) => what), [
      "blocking",
      "message/send",
      "a/v1/",
      "ROLE_AGENT"
    ])
  })
})
