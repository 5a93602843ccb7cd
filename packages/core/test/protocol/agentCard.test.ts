import type * as AgentCard from "@effect-a2a/core/AgentCard"
import * as Protocol from "@effect-a2a/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import { covers } from "../../../../test/support/covers.ts"
import { read, refused, write } from "./support.ts"

const { v0_3, v1_0 } = Protocol
const jsonRpc = { url: "https://agent.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }

const of03 = {
  protocolVersion: "0.3.0",
  name: "Old",
  description: "d",
  version: "7",
  url: "https://agent.test/rpc",
  additionalInterfaces: [
    { url: "https://agent.test/rpc", transport: "JSONRPC" },
    { url: "https://agent.test/rest", transport: "HTTP+JSON" }
  ],
  capabilities: { streaming: true, stateTransitionHistory: true },
  supportsAuthenticatedExtendedCard: true,
  securitySchemes: {
    key: { type: "apiKey", in: "header", name: "X-Key" },
    http: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    oauth: {
      type: "oauth2",
      flows: {
        clientCredentials: { tokenUrl: "https://id.test/token", scopes: { a: "A" } },
        implicit: { authorizationUrl: "https://id.test/auth", scopes: {} }
      }
    },
    oidc: { type: "openIdConnect", openIdConnectUrl: "https://id.test" },
    tls: { type: "mutualTLS" },
    later: { type: "quantum" }
  },
  security: [{ key: [] }, { oauth: ["a"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "", tags: [], security: [{ key: [] }] }]
}

const old: AgentCard.AgentCard = {
  name: "Old",
  description: "d",
  version: "7",
  supportedInterfaces: [
    { url: "https://agent.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://agent.test/rest", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }
  ],
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: {
    key: { _tag: "ApiKey", location: "header", name: "X-Key" },
    http: { _tag: "HttpAuth", scheme: "bearer", bearerFormat: "JWT" },
    oauth: {
      _tag: "OAuth2",
      flows: [
        { _tag: "ClientCredentials", tokenUrl: "https://id.test/token", scopes: { a: "A" } },
        { _tag: "Implicit", authorizationUrl: "https://id.test/auth", scopes: {} }
      ]
    },
    oidc: { _tag: "OpenIdConnect", openIdConnectUrl: "https://id.test" },
    tls: { _tag: "MutualTls" }
  },
  securityRequirements: [{ key: [] }, { oauth: ["a"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "", tags: [], securityRequirements: [{ key: [] }] }]
}

describe("agent cards", () => {
  it("a 0.3 card is read by both versions: its main interface once, unknown schemes left out", () => {
    assert.deepStrictEqual(read(v1_0.agentCard, of03), old)
    assert.deepStrictEqual(read(v0_3.agentCard, of03), old)
  })

  it("a 0.3 card is written as 0.3", () => {
    const { additionalInterfaces: _, capabilities: __, securitySchemes, ...rest } = of03
    const { later: ___, ...schemes } = securitySchemes
    assert.deepStrictEqual(write(v0_3.agentCard, old), {
      ...rest,
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ url: "https://agent.test/rest", transport: "HTTP+JSON" }],
      capabilities: { streaming: true },
      securitySchemes: schemes
    })
  })

  it("a card with an interface of 0.3 is written as a hybrid, and 1.0 members win when it is read", () => {
    const mixed = { ...old, supportedInterfaces: [jsonRpc, ...old.supportedInterfaces] }
    const json = write(v1_0.agentCard, mixed)
    assert.deepInclude(json, {
      url: "https://agent.test/rpc",
      preferredTransport: "JSONRPC",
      protocolVersion: "0.3.0",
      supportsAuthenticatedExtendedCard: true,
      security: old.securityRequirements,
      securityRequirements: [{ schemes: { key: {} } }, { schemes: { oauth: { list: ["a"] } } }]
    })
    assert.deepStrictEqual(json.securitySchemes.key, { apiKeySecurityScheme: { location: "header", name: "X-Key" } })
    assert.deepStrictEqual(json.securitySchemes.oauth.oauth2SecurityScheme.flows, {
      clientCredentials: { tokenUrl: "https://id.test/token", scopes: { a: "A" } }
    })
    assert.deepStrictEqual(read(v1_0.agentCard, json).supportedInterfaces, mixed.supportedInterfaces)
  })

  it("a pure 1.0 card has all REQUIRED members, even if empty, and none of 0.3", () => {
    const card: AgentCard.AgentCard = {
      name: "N",
      description: "",
      version: "",
      supportedInterfaces: [jsonRpc],
      capabilities: { streaming: false },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: []
    }
    assert.deepStrictEqual(write(v1_0.agentCard, card), card)
  })

  it("null lists and missing members are read as empty", covers("field:CARD-10"), () => {
    assert.deepStrictEqual(
      read(v1_0.agentCard, {
        name: "x",
        skills: null,
        defaultInputModes: null,
        capabilities: null,
        supportedInterfaces: [{ ...jsonRpc, protocolVersion: "1.0.1", tenant: "" }]
      }),
      {
        name: "x",
        description: "",
        version: "",
        supportedInterfaces: [jsonRpc],
        capabilities: {},
        defaultInputModes: [],
        defaultOutputModes: [],
        skills: []
      }
    )
  })

  it("a card without a usable interface is refused by path", covers("field:CARD-10"), () => {
    assert.deepStrictEqual(refused(v1_0.agentCard, { name: "x" }), ["supportedInterfaces"])
    assert.deepStrictEqual(refused(v1_0.agentCard, { name: "x", supportedInterfaces: [{ url: "https://a.test" }] }), [
      "supportedInterfaces"
    ])
    assert.deepStrictEqual(refused(v1_0.agentCard, { name: 5, supportedInterfaces: [jsonRpc] }), ["name"])
  })

  it("schemes tagged with `$case` are read", () => {
    const { securityRequirements, securitySchemes } = read(v1_0.agentCard, {
      name: "x",
      supportedInterfaces: [jsonRpc],
      securitySchemes: {
        k: { scheme: { $case: "apiKeySecurityScheme", value: { description: "", location: "query", name: "key" } } },
        o: {
          scheme: {
            $case: "oauth2SecurityScheme",
            value: {
              flows: {
                flow: { $case: "deviceCode", value: { deviceAuthorizationUrl: "d", tokenUrl: "t", scopes: {} } }
              }
            }
          }
        }
      },
      securityRequirements: [{ schemes: { k: { list: null } } }]
    })
    assert.deepStrictEqual(securitySchemes, {
      k: { _tag: "ApiKey", location: "query", name: "key" },
      o: { _tag: "OAuth2", flows: [{ _tag: "DeviceCode", deviceAuthorizationUrl: "d", tokenUrl: "t", scopes: {} }] }
    })
    assert.deepStrictEqual(securityRequirements, [{ k: [] }])
  })

  it("security schemes are read in each spelling, unknown ones beside them left out", covers("field:N2-43"), () => {
    const flows = { clientCredentials: { tokenUrl: "https://id.test/token", scopes: { a: "A" } } }
    const openIdConnectUrl = "https://id.test"
    const spellings: ReadonlyArray<readonly [member: string, type: string, short: string, fields: object]> = [
      ["oauth2SecurityScheme", "oauth2", "oauth2", { flows, description: "d" }],
      ["oauth2_security_scheme", "OAuth2", "OAuth2", { flows, description: "d" }],
      ["httpAuthSecurityScheme", "http", "http", { scheme: "bearer" }],
      ["httpAuthSecurityScheme", "HTTP", "httpAuth", { scheme: "Basic" }],
      ["openIdConnectSecurityScheme", "openIdConnect", "openIdConnect", { openIdConnectUrl }],
      ["open_id_connect_security_scheme", "openidconnect", "open_id_connect", { openIdConnectUrl }],
      ["mtlsSecurityScheme", "mutualTLS", "mutualTLS", {}],
      ["mtls_security_scheme", "mutualTls", "mtls", {}],
      ["apiKeySecurityScheme", "apiKey", "apiKey", { in: "header", name: "X-Key" }],
      ["api_key_security_scheme", "apikey", "api_key", { location: "cookie", name: "sid" }]
    ]
    for (const [member, type, short, fields] of spellings) {
      const { securitySchemes } = read(v1_0.agentCard, {
        name: "x",
        supportedInterfaces: [jsonRpc],
        securitySchemes: {
          a: { [member]: fields },
          b: { type, ...fields },
          c: { [short]: fields },
          d: { type, [short]: fields },
          e: { type: member, ...fields },
          f: { type: short, ...fields },
          g: { $case: member, value: fields },
          h: { [short]: { type, ...fields }, x: 1 },
          q: { quantum: fields },
          r: { type: "quantum", ...fields },
          s: null,
          t: { type: null, [member]: null }
        }
      })
      assert.deepStrictEqual(Object.keys(securitySchemes ?? {}), ["a", "b", "c", "d", "e", "f", "g", "h"], short)
      for (const scheme of Object.values(securitySchemes ?? {})) assert.deepStrictEqual(scheme, securitySchemes?.a)
    }
  })

  it("versions of interfaces are read as major and minor", covers("field:N2-48"), () => {
    const spellings: ReadonlyArray<readonly [written: unknown, version: string]> = [
      ["1", "1.0"],
      ["v1", "1.0"],
      ["v1.0", "1.0"],
      ["V1.0.1", "1.0"],
      ["1.0.1", "1.0"],
      [" 1.0 ", "1.0"],
      ["1.0.0-rc.1+7", "1.0"],
      [1, "1.0"],
      ["", "1.0"],
      [null, "1.0"],
      ["0.3", "0.3"],
      ["v0.3.0", "0.3"],
      [0.3, "0.3"],
      ["1.10", "1.10"],
      ["2", "2.0"],
      ["draft", "draft"],
      ["2026-03-01x", "2026-03-01x"]
    ]
    for (const [protocolVersion, version] of spellings) {
      const { supportedInterfaces } = read(v1_0.agentCard, {
        name: "x",
        supportedInterfaces: [{ ...jsonRpc, protocolVersion }]
      })
      assert.deepStrictEqual(supportedInterfaces, [{ ...jsonRpc, protocolVersion: version }], String(protocolVersion))
    }
    for (const protocolVersion of ["v0.3.0", "0.3", "", null]) {
      const [first] = read(v0_3.agentCard, { ...of03, protocolVersion }).supportedInterfaces
      assert.strictEqual(first?.protocolVersion, "0.3")
    }
  })
})
