/** Converts a refusal to a reason, with what the HTTP response adds to it. Tested in `test/errors`. */
import * as Effect from "effect/Effect"
import * as HttpPeer from "../../HttpPeer.ts"
import type * as Protocol from "../../Protocol.ts"
import { type RequestContext, toReason } from "../protocol/failure.ts"
import { redact } from "./redactSecrets.ts"

export const fromResponse = Effect.fnUntraced(function*(
  failure: Protocol.WireFailure,
  { credentials, response }: HttpPeer.Received,
  context: RequestContext
) {
  const delay = yield* HttpPeer.retryAfter(response)
  const whole = {
    ...failure,
    status: failure.status ?? response.status,
    retryAfter: failure.retryAfter ?? delay,
    challenge: response.headers["www-authenticate"]
  }
  return toReason(redact(whole, credentials), context)
})
