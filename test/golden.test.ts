/** The eight requests of MemoryLake's documentation, literally. */
import * as Agent from "@effect-a2a/core/Agent"
import * as Id from "@effect-a2a/core/Id"
import * as MemoryLake from "@effect-a2a/memorylake/MemoryLake"
import * as MemoryLakeOptions from "@effect-a2a/memorylake/MemoryLakeOptions"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { covers } from "./support/covers.ts"
import { baseUrl, type Combination, rest0_3, rest1_0, rpc0_3, rpc1_0, through } from "./support/lake.ts"
import { type Asked, json } from "./support/respond.ts"

interface Sample {
  readonly title: string
  readonly combination: Combination
  /** Of the documented curl command. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The same call by this SDK. */
  readonly call: Effect.Effect<unknown, unknown, Agent.Agent>
  /** Members that A2A requires and the documentation leaves out. Nothing else may differ. */
  readonly extra: ReadonlyArray<string>
}

const actorId = MemoryLakeOptions.actorId("actor-33d6b73298fb43482a765643ff92444b")
const readWriteProjectId = MemoryLakeOptions.projectId("proj-b93e8d95a8705bcc4ec42a65ba4cc7f8")
const contextId = Id.ContextId.make("ctx_m4n7p2q9")
const waiting = { returnImmediately: false, historyLength: 10 }

const configure = (options: MemoryLakeOptions.Options, more?: Agent.Options) =>
  Agent.send("How do I configure two-factor authentication?", { ...waiting, ...more }).pipe(
    MemoryLake.withOptions({ actorId, readWriteProjectId, ...options })
  )
const summarize = (options?: Agent.Options) =>
  Stream.runDrain(Agent.stream("Summarize our last meeting notes", options)).pipe(
    MemoryLake.withOptions({
      actorId,
      readOnlyProjectIds: [MemoryLakeOptions.projectId("proj-c62be3c8aa01d134ac32975afe24d034")]
    })
  )
const readOnlyProjectIds = [MemoryLakeOptions.projectId("proj-cd2e83f761eec93c75977f51667889cd")]
const named = (messageId: string) => ({ messageId: Id.MessageId.make(messageId) })

const plain = { authorization: "Bearer sk_xxxxxx", "content-type": "application/json" }
const sse = { ...plain, accept: "text/event-stream" }
const v1_0 = { "a2a-version": "1.0" }

const samples: ReadonlyArray<Sample> = [
  {
    title: "1.0 send REST",
    combination: rest1_0,
    url: `${baseUrl}/message:send`,
    headers: plain,
    body: `{
    "message": {
      "role": "ROLE_USER",
      "parts": [
        { "text": "How do I configure two-factor authentication?" }
      ],
      "contextId": "ctx_m4n7p2q9"
    },
    "configuration": {
      "returnImmediately": false,
      "historyLength": 10
    },
    "metadata": {
      "memorylake": {
        "actorId": "actor-33d6b73298fb43482a765643ff92444b",
        "readWriteProjectId": "proj-b93e8d95a8705bcc4ec42a65ba4cc7f8",
        "readOnlyProjectIds": ["proj-cd2e83f761eec93c75977f51667889cd"],
        "overrides": {
          "model": "gpt-4o",
          "capabilitiesOverride": {
            "web_search": {
              "open_datasets": ["research/academic", "clinical/trials"]
            }
          }
        }
      }
    }
  }`,
    call: configure({
      readOnlyProjectIds,
      overrides: {
        model: "gpt-4o",
        capabilitiesOverride: { web_search: { open_datasets: ["research/academic", "clinical/trials"] } }
      }
    }, { contextId }),
    extra: ["message.messageId"]
  },
  {
    title: "1.0 stream REST",
    combination: rest1_0,
    url: `${baseUrl}/message:stream`,
    headers: sse,
    body: `{
    "message": {
      "role": "ROLE_USER",
      "parts": [
        { "text": "Summarize our last meeting notes" }
      ]
    },
    "metadata": {
      "memorylake": {
        "actorId": "actor-33d6b73298fb43482a765643ff92444b",
        "readOnlyProjectIds": ["proj-c62be3c8aa01d134ac32975afe24d034"]
      }
    }
  }`,
    call: summarize(),
    extra: ["message.messageId"]
  },
  {
    title: "0.3 send REST",
    combination: rest0_3,
    url: `${baseUrl}/v1/message:send`,
    headers: plain,
    body: `{
    "message": {
      "role": "ROLE_USER",
      "content": [
        { "text": "How do I configure two-factor authentication?" }
      ]
    },
    "configuration": {
      "blocking": true,
      "historyLength": 10
    },
    "metadata": {
      "memorylake": {
        "actorId": "actor-33d6b73298fb43482a765643ff92444b",
        "readWriteProjectId": "proj-b93e8d95a8705bcc4ec42a65ba4cc7f8"
      }
    }
  }`,
    call: configure({}),
    extra: ["message.messageId"]
  },
  {
    title: "0.3 stream REST",
    combination: rest0_3,
    url: `${baseUrl}/v1/message:stream`,
    headers: sse,
    body: `{
    "message": {
      "role": "ROLE_USER",
      "content": [
        { "text": "Summarize our last meeting notes" }
      ]
    },
    "metadata": {
      "memorylake": {
        "actorId": "actor-33d6b73298fb43482a765643ff92444b",
        "readOnlyProjectIds": ["proj-c62be3c8aa01d134ac32975afe24d034"]
      }
    }
  }`,
    call: summarize(),
    extra: ["message.messageId"]
  },
  {
    title: "1.0 send JSON-RPC",
    combination: rpc1_0,
    url: baseUrl,
    headers: { ...plain, ...v1_0 },
    body: `{
    "jsonrpc": "2.0",
    "id": "req-1",
    "method": "SendMessage",
    "params": {
      "message": {
        "messageId": "msg-1",
        "role": "ROLE_USER",
        "parts": [
          { "text": "How do I configure two-factor authentication?" }
        ],
        "contextId": "ctx_m4n7p2q9"
      },
      "configuration": {
        "returnImmediately": false,
        "historyLength": 10
      },
      "metadata": {
        "memorylake": {
          "actorId": "actor-33d6b73298fb43482a765643ff92444b",
          "readWriteProjectId": "proj-b93e8d95a8705bcc4ec42a65ba4cc7f8",
          "readOnlyProjectIds": ["proj-cd2e83f761eec93c75977f51667889cd"],
          "overrides": {
            "model": "gpt-4o"
          }
        }
      }
    }
  }`,
    call: configure({ readOnlyProjectIds, overrides: { model: "gpt-4o" } }, { ...named("msg-1"), contextId }),
    extra: []
  },
  {
    title: "1.0 stream JSON-RPC",
    combination: rpc1_0,
    url: baseUrl,
    headers: { ...sse, ...v1_0 },
    body: `{
    "jsonrpc": "2.0",
    "id": "req-2",
    "method": "SendStreamingMessage",
    "params": {
      "message": {
        "messageId": "msg-2",
        "role": "ROLE_USER",
        "parts": [
          { "text": "Summarize our last meeting notes" }
        ]
      },
      "metadata": {
        "memorylake": {
          "actorId": "actor-33d6b73298fb43482a765643ff92444b",
          "readOnlyProjectIds": ["proj-c62be3c8aa01d134ac32975afe24d034"]
        }
      }
    }
  }`,
    call: summarize(named("msg-2")),
    extra: []
  },
  {
    title: "0.3 send JSON-RPC",
    combination: rpc0_3,
    url: baseUrl,
    headers: plain,
    body: `{
    "jsonrpc": "2.0",
    "id": "req-3",
    "method": "message/send",
    "params": {
      "message": {
        "messageId": "msg-3",
        "role": "user",
        "parts": [
          { "kind": "text", "text": "How do I configure two-factor authentication?" }
        ],
        "contextId": "ctx_m4n7p2q9"
      },
      "configuration": {
        "blocking": true,
        "historyLength": 10
      },
      "metadata": {
        "memorylake": {
          "actorId": "actor-33d6b73298fb43482a765643ff92444b",
          "readWriteProjectId": "proj-b93e8d95a8705bcc4ec42a65ba4cc7f8"
        }
      }
    }
  }`,
    call: configure({}, { ...named("msg-3"), contextId }),
    extra: ["params.message.kind"]
  },
  {
    title: "0.3 stream JSON-RPC",
    combination: rpc0_3,
    url: baseUrl,
    headers: sse,
    body: `{
    "jsonrpc": "2.0",
    "id": "req-4",
    "method": "message/stream",
    "params": {
      "message": {
        "messageId": "msg-4",
        "role": "user",
        "parts": [
          { "kind": "text", "text": "Summarize our last meeting notes" }
        ]
      },
      "metadata": {
        "memorylake": {
          "actorId": "actor-33d6b73298fb43482a765643ff92444b",
          "readOnlyProjectIds": ["proj-c62be3c8aa01d134ac32975afe24d034"]
        }
      }
    }
  }`,
    call: summarize(named("msg-4")),
    extra: ["params.message.kind"]
  }
]

/** Paths of all leaves and their values: order of keys does not count, order of elements does. */
const leaves = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, leaf: unknown]> =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, member]) => leaves(member, path === "" ? key : `${path}.${key}`))
    : [[path, value]]

describe("the eight documented requests", () => {
  for (const [index, sample] of samples.entries()) {
    it.effect(`${index + 1}: ${sample.title}`, () =>
      Effect.gen(function*() {
        const { agent, asked } = through(sample.combination, () => json("{}"))
        yield* sample.call.pipe(
          Effect.provide(agent),
          Effect.provideService(Id.CurrentGenerator, () => "new-id"),
          Effect.exit
        )
        assert.strictEqual(asked.length, 1)
        const [{ body, headers, method, url }] = asked as [Asked]
        assert.strictEqual(method, "POST")
        assert.strictEqual(url, sample.url)
        assert.deepInclude(headers, sample.headers)
        // ids of JSON-RPC requests count from 1 in each transport; the documentation numbers its samples
        const expected = new Map(leaves(JSON.parse(sample.body.replace(/"id": "req-\d"/, "\"id\": \"req-1\""))))
        const sent = new Map(leaves(JSON.parse(body)))
        assert.deepStrictEqual([...expected].filter(([path, leaf]) => sent.get(path) !== leaf), [])
        assert.deepStrictEqual([...sent.keys()].filter((path) => !expected.has(path)), sample.extra)
      }), covers("ML-01", "ML-02", "ML-03", "ML-04", "ML-05", "ML-06", "ML-07", "ML-11"))
  }
})
