/**
 * Responses that are not what was asked for, such as the page of a login or of a gateway: the error names URL, HTTP status
 * and content type, and quotes the beginning. Tested in `test/engine/unexpected.test.ts`.
 */
import * as AgentError from "../../AgentError.ts"
import * as HttpPeer from "../../HttpPeer.ts"
import * as Json from "./json.ts"

/** Returns where a response came from and what it claims to be. */
const origin = ({ response, url }: HttpPeer.Received) => {
  const contentType = HttpPeer.mediaType(response)
  return { url, status: response.status, ...(contentType === "" ? undefined : { contentType }) }
}

/** Adds to a malformed response where it came from, and removes the secrets that a reason repeats. */
export const locate =
  (received: HttpPeer.Received) => (reason: AgentError.AgentErrorReason): AgentError.AgentErrorReason =>
    received.redact(
      reason._tag === "MalformedResponseError" && reason.url === undefined
        ? AgentError.withFields(reason, origin(received))
        : reason
    )

/** Makes the error of a response that is not what was expected. */
export const make = (options: {
  readonly received: HttpPeer.Received
  readonly text: string
  /** In the words of the message, such as `JSON`. */
  readonly expected: string
  readonly dialect: string
  readonly issue: string
}): AgentError.MalformedResponseError => {
  const { dialect, expected, issue, received, text } = options
  const { contentType = "no content type", status, url } = origin(received)
  const snippet = Json.snippet(received.redact(text))
  const quoted = snippet === "" ? "" : `: ${snippet}`
  return received.redact(
    new AgentError.MalformedResponseError({
      message: `expected ${expected}, got ${contentType} (HTTP ${status}) from ${url}${quoted}`,
      dialect,
      issue,
      ...origin(received),
      snippet
    })
  )
}
