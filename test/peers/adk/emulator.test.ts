/** The emulator passes the tests of the real servers. */
import { AdkEmulator, AdkScript } from "@effect-a2a/emulators"
import * as NodeAgentServer from "@effect-a2a/node/NodeAgentServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { javascript, python, type Subject } from "./peer.ts"
import script from "./script.json" with { type: "json" }
import { suite } from "./suite.ts"

const step = (one: any): ReadonlyArray<AdkScript.Step> => {
  if (one.throw !== undefined) return [AdkScript.fail(one.throw)]
  if (one.wait !== undefined) return [AdkScript.wait(one.wait)]
  return [one.save === undefined ? AdkScript.event(one.event) : AdkScript.save(one.save, one.part, one.text)]
}

const agent = ({ parts, state, text }: AdkScript.Turn): ReadonlyArray<AdkScript.Step> => {
  const word = text.split(" ")[0]!
  if (word === "echo") return [AdkScript.say(JSON.stringify({ parts, state }))]
  return ((script as any)[word] ?? []).flatMap(step)
}

// the emulator stops an interrupted run, JavaScript servers do not
for (const differs of [python, { ...javascript, stops: true }]) {
  const flavour = differs.flavour === "python" ? "python" : "javascript"
  const routes = AdkEmulator.routes({ flavour, apps: ["llm", "scripted"], agent })
  const subject: Subject = {
    name: `AdkEmulator (${flavour})`,
    isInstalled: true,
    script: "",
    hasModel: false,
    differs,
    start: Effect.flatMap(
      Layer.build(NodeAgentServer.layer({ routes, port: 0, shutdown: "100 millis" })),
      (context) => Effect.provideContext(NodeAgentServer.url, context)
    ).pipe(Effect.orDie)
  }
  suite(subject)
}
