/** Routes that several tests serve. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Answers with the length of the body, or 413. */
export const size = HttpRouter.add(
  "POST",
  "/size",
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap((request) => request.text),
    Effect.map((text) => HttpServerResponse.text(String(text.length))),
    Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 413 })))
  )
)
