/** Protocol 1.0, with its serving half, in two releases of the specification. */
import type * as Dialect from "../../../Dialect.ts"
import { type ServedRow, servedRows } from "../../errors/servedTable.ts"
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

/** The statuses of 1.0.0 where they differ from 1.0.1 (A2A 1.0.0 §5.4); the names are those of its column for gRPC. */
const unimplemented: ServedRow = { http: 400, status: "UNIMPLEMENTED" }
const servedRows1_0_0: typeof servedRows = {
  ...servedRows,
  TaskNotCancelableError: { http: 409, status: "FAILED_PRECONDITION" },
  PushNotificationNotSupportedError: unimplemented,
  UnsupportedOperationError: unimplemented,
  ContentTypeNotSupportedError: { http: 415, status: "INVALID_ARGUMENT" },
  InvalidAgentResponseError: { http: 502, status: "INTERNAL" },
  VersionNotSupportedError: unimplemented
}

/** Makes a release: statuses and the media type over REST are all that changed on the wire. */
const release = (served: typeof servedRows, contentType: string) => ({
  ...client,
  versionRequired: true,
  agentCard,
  http: { failure: { decode: readBody, encode: writeStatus(served) } },
  rest: { ...client.rest, contentType, dialect },
  jsonRpc: { ...client.jsonRpc, dialect, failure: { decode: readError, encode: writeError(served) } }
})

export const v1_0 = /*#__PURE__*/ release(servedRows, client.rest.contentType)

// 1.0.0 §11.1
export const v1_0_0 = /*#__PURE__*/ release(servedRows1_0_0, "application/json")
