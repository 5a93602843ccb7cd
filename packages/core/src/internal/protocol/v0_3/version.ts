/** Protocol 0.3, with its serving half. */
import type * as Dialect from "../../../Dialect.ts"
import { readBody, readError } from "../failure.ts"
import { writeBareBody, writeBareError } from "../failureWriters.ts"
import { byOperation } from "../results.ts"
import { withEncoders } from "../resultWriters.ts"
import { agentCard } from "./agentCard.ts"
import { client } from "./client.ts"
import * as KindJson from "./kindJson.ts"
import * as ProtoJson from "./protoJson.ts"

const protoJson: Dialect.Dialect = {
  ...ProtoJson.calling,
  success: byOperation(withEncoders(ProtoJson.decoders, {
    ...ProtoJson.push,
    style: ProtoJson.model.style,
    isWrapped: true,
    empty: {},
    card: agentCard
  }))
}

const { ListTasks: _, ...success } = byOperation(withEncoders(KindJson.decoders, {
  ...KindJson.push,
  style: KindJson.model.style,
  isWrapped: false,
  empty: null,
  card: agentCard
}))

const kindJson: Dialect.Dialect = { ...KindJson.calling, success }

export const v0_3 = {
  ...client,
  traits: { pushesTask: true },
  versionRequired: false,
  agentCard,
  http: { failure: { decode: readBody, encode: writeBareBody } },
  rest: { ...client.rest, dialect: protoJson },
  jsonRpc: { ...client.jsonRpc, dialect: kindJson, failure: { decode: readError, encode: writeBareError } }
}
