/** The calling half of protocol 1.0. */
import { cardDecoder } from "../card.ts"
import { readBody, readError } from "../failure.ts"
import { makeRoutes } from "../routes.ts"
import { calling } from "./dialect.ts"

const routes = makeRoutes({ subscribe: "POST", card: "/extendedAgentCard" })

export const client = {
  version: "1.0" as const,
  extensionsHeader: "A2A-Extensions",
  agentCard: cardDecoder,
  recognizers: [],
  http: { failure: { decode: readBody } },
  rest: {
    dialect: calling,
    routes,
    tenantSegment: true,
    contentType: "application/a2a+json"
  },
  jsonRpc: {
    dialect: calling,
    // the names of the operations (A2A 1.0 §9.4)
    methods: Object.fromEntries(Object.keys(routes).map((tag) => [tag, tag])),
    failure: { decode: readError }
  }
}
