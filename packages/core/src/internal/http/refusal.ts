/** Converts a refusal to a reason, with what the HTTP response adds to it. Tested in `test/errors`. */
import * as Effect from "effect/Effect"
import * as HttpPeer from "../../HttpPeer.ts"
import type * as Protocol from "../../Protocol.ts"
import { isGatewayFailure } from "../errors/sendDelivery.ts"
import { type RequestContext, toReason } from "../protocol/failure.ts"

/**
 * Returns the status in the failure. A gateway that gave up waiting knows no better than its own: "unavailable" in its
 * body does not say that the agent has not acted.
 */
const statusOf = ({ status }: Protocol.WireFailure, ofResponse: number): number =>
  status === undefined || (status >= 500 && isGatewayFailure(ofResponse)) ? ofResponse : status

/** Returns the reason of a refusal, without the secrets of its request. */
export const fromResponse = Effect.fnUntraced(function*(
  failure: Protocol.WireFailure,
  { redact, response }: HttpPeer.Received,
  context: RequestContext
) {
  const delay = yield* HttpPeer.retryAfter(response)
  const whole = {
    ...failure,
    status: statusOf(failure, response.status),
    retryAfter: failure.retryAfter ?? delay,
    challenge: response.headers["www-authenticate"]
  }
  return redact(toReason(whole, context))
})
