/** The command shows no secret that it was given, whatever the agent repeats and however the output is written. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../../packages/cli/test/support/command.ts"
import * as Processes from "../../packages/cli/test/support/process.ts"
import { covers } from "../support/covers.ts"
import * as Server from "../support/httpServer.ts"
import * as Secrets from "./support.ts"

const { planted } = Secrets

const all = {
  bearer: planted.bearer,
  "key in a header": planted["key in a header"],
  "header given by hand": planted["header given by hand"],
  "query of the agent's URL": planted["query of the agent's URL"]
}

const env = { A2A_TOKEN: all.bearer, A2A_API_KEY: all["key in a header"] }

/** Names that say nothing of a secret. */
const names = ["X-Session-Id", "X-Pass", "Ocp-Apim-Subscription", "X-Tenant", "Cookie"]
const given = (name: string) => `${name}: ${name === "Cookie" ? "sid=" : ""}${all["header given by hand"]}`

/** Every secret in every form, as text. */
const said = Object.values(all).flatMap((secret) => Object.values(Secrets.encodings).map((encode) => encode(secret)))
  .join(" ")

const answers: Readonly<Record<string, Server.Answer>> = {
  "refuses": (_, response) =>
    Server.json(
      response,
      { error: { code: 500, status: "INTERNAL", message: said, details: [{ [said]: said }] } },
      500
    ),
  "answers with a page": (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(`<p>${said}</p>`),
  "sends an event that is not JSON": (_, response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: error\ndata: ${said}\n\n`),
  "fails its task": (_, response) =>
    Server.json(response, {
      task: {
        id: "t-1",
        contextId: "c-1",
        status: {
          state: "TASK_STATE_FAILED",
          message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: said }] }
        }
      }
    })
}

const outputs = [[], ["--json"], ["--verbose"], ["--json", "--verbose"]]

describe("the command", () => {
  for (const [what, answer] of Object.entries(answers)) {
    it.live(`shows no secret if the agent ${what}`, () =>
      Effect.gen(function*() {
        const { asked, url } = yield* Server.make(answer)
        for (const [index, name] of names.entries()) {
          const output = outputs[index % outputs.length]!
          const header = index % 2 === 0 ? ["--header", given(name)] : [`--header=${given(name)}`]
          const binding = ["--binding", index % 2 === 0 ? "rest" : "jsonrpc"]
          const stream = index % 3 === 0 ? ["--stream"] : []
          const args = ["ask", "hi", "--url", Secrets.withQuery(url), ...header, ...output, ...binding, ...stream]
          const ended = yield* run(args, { env })
          assert.notStrictEqual(ended.code, 0, name)
          assert.deepStrictEqual(Secrets.found(ended.stdout + ended.stderr, all), [], `${name} ${output.join(" ")}`)
        }
        // they were sent nevertheless
        assert.include(asked[0]!.headers.authorization, all.bearer)
        assert.include(asked[0]!.headers["x-session-id"], all["header given by hand"])
        assert.include(asked[0]!.target, "?route=")
      }).pipe(Effect.scoped), covers("attack:S2-49", "ML-02"))
  }

  it.live("shows none in another process", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make(answers.refuses!)
      const args = ["ask", "hi", "--verbose", "--url", Secrets.withQuery(url), "--header", given("X-Pass")]
      const ended = yield* Processes.run(args, { env })
      assert.strictEqual(ended.code, 3)
      assert.deepStrictEqual(Secrets.found(ended.stdout + ended.stderr, all), [])
    }).pipe(Effect.scoped), covers("attack:S2-49"))

  it.live("leaves an answer as it is, whatever a header says", () =>
    Effect.gen(function*() {
      const { url } = yield* Server.make((_, response) =>
        Server.json(response, Server.task("COMPLETED", "production is up, %70roduction too"))
      )
      const ended = yield* run(["ask", "hi", "--url", url, "--header", "X-Stage: production"])
      assert.include(ended.stdout, "production is up, %70roduction too")
    }).pipe(Effect.scoped), covers("attack:S2-49"))
})
