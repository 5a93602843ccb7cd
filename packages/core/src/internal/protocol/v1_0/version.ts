/** Protocol 1.0, with its serving half. */
import type * as Dialect from "../../../Dialect.ts"
import { readBody, readError } from "../failure.ts"
import { writeError, writeStatus } from "../failureWriters.ts"
import { byOperation } from "../results.ts"
import { withEncoders } from "../resultWriters.ts"
import { agentCard } from "./agentCard.ts"
import { client } from "./client.ts"
import { calling, decoders, model } from "./dialect.ts"
import { writeConfig, writeConfigPage } from "./push.ts"

const { style } = model

const dialect: Dialect.Dialect = {
  ...calling,
  success: byOperation(
    withEncoders(decoders, { style, isWrapped: true, writeConfig, writeConfigPage, empty: null, card: agentCard })
  )
}

export const v1_0 = {
  ...client,
  versionRequired: true,
  agentCard,
  http: { failure: { decode: readBody, encode: writeStatus } },
  rest: { ...client.rest, dialect },
  jsonRpc: { ...client.jsonRpc, dialect, failure: { decode: readError, encode: writeError } }
}
