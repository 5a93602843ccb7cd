/** The demo agent: the first word of a message says what it does, so that a client can rehearse everything with it. */
import * as AgentError from "@effect-a2a/core/AgentError"
import * as Message from "@effect-a2a/core/Message"
import * as Part from "@effect-a2a/core/Part"
import * as AgentExecutor from "@effect-a2a/server/AgentExecutor"
import * as Reply from "@effect-a2a/server/Reply"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

type Replies = Stream.Stream<Reply.Reply, AgentError.AgentErrorReason>

const replies = (...all: ReadonlyArray<Reply.Reply>): Replies => Stream.fromIterable(all)

const after = (millis: number, reply: Reply.Reply): Replies => Stream.fromEffect(Effect.as(Effect.sleep(millis), reply))

/** Numbers from 1, each after a pause. */
const count = (n: number, millis: number) =>
  Stream.range(1, n).pipe(
    millis === 0 ? (self) => self : (self) => Stream.tap(Stream.rechunk(self, 1), () => Effect.sleep(millis))
  )

const numberOf = (text: string | undefined, otherwise: number): number => {
  const number = Number(text)
  return text === undefined || !Number.isFinite(number) || number < 0 ? otherwise : Math.min(number, 1_000_000)
}

/** The reasons by their codes, such as `QUOTA_EXCEEDED`; those that need more than a message are left out. */
const reasons = (message: string): ReadonlyMap<string, AgentError.AgentErrorReason> =>
  new Map(
    AgentError.AgentErrorReason.members.flatMap((Reason) => {
      const made = Result.try(() => new (Reason as typeof AgentError.InternalError)({ message }))
      return Result.isSuccess(made) ? [[made.success.code, made.success as AgentError.AgentErrorReason] as const] : []
    })
  )

const refuse = (code: string): Effect.Effect<never, AgentError.AgentErrorReason> =>
  Effect.fail(
    reasons(`refused with ${code}, as asked`).get(code.toUpperCase()) ??
      AgentError.reason("InvalidParamsError", { message: `unknown code ${code}: use one such as QUOTA_EXCEEDED` })
  )

const tool = replies(
  Reply.toolCall({ id: "add-1", name: "add", args: { a: 1, b: 2 } }),
  Reply.toolResult({ id: "add-1", name: "add", response: 3 }),
  "3"
)

const file = replies(Reply.artifact({
  name: "files",
  parts: [
    Part.raw(new TextEncoder().encode("content of a file\n"), { filename: "file.txt", mediaType: "text/plain" }),
    Part.url("https://example.com/picture.png", { mediaType: "image/png" }),
    Part.data({ key: "value", count: 42 })
  ]
}))

/** Waits for further messages until one says `end`. */
const collect = ({ updates }: AgentExecutor.Turn): Replies =>
  Stream.concat(
    replies(Reply.status("working", "Send messages to this task; end completes it")),
    updates.pipe(
      Stream.map(Message.text),
      Stream.takeWhile((text) => text.trim() !== "end"),
      Stream.runCollect,
      Effect.map((texts) => texts.join("\n")),
      Stream.fromEffect
    )
  )

const context = ({ earlier }: AgentExecutor.Turn) =>
  Effect.map(
    earlier,
    (words) => replies(words.map((one) => `${one.role}: ${Message.text(one).replace(/\s*\n\s*/g, " ")}`).join("\n"))
  )

const whoami = ({ caller, extensions, tenant }: AgentExecutor.Turn) =>
  replies(`caller=${caller?.id ?? ""}; tenant=${tenant ?? ""}; extensions=${extensions.join(",")}`)

const execute = (turn: AgentExecutor.Turn): AgentExecutor.Execution => {
  const text = Message.text(turn.message)
  const [, word = "", rest = ""] = /^\s*(\S+)\s*([\s\S]*)$/.exec(text) ?? []
  const [first, second] = rest.split(/\s+/).filter(Boolean)
  // a message to a task that waits answers its question
  if (turn.task !== undefined) return replies(`You said: ${text}`)
  switch (word) {
    case "chunks":
      return Stream.map(count(numberOf(first, 3), numberOf(second, 0)), (n) => `${n} `)
    case "artifacts":
      return Stream.map(count(numberOf(first, 3), 0), (n) => Reply.artifact({ parts: `artifact ${n}` }))
    case "steps":
      return Stream.concat(
        Stream.map(count(numberOf(first, 3), numberOf(second, 0)), (n) => Reply.progress(`step ${n}`)),
        replies("done")
      )
    case "think":
      return replies(Reply.thought(`Thinking about ${rest}`), rest)
    case "tool":
      return tool
    case "ask":
      return replies("Some findings. ", Reply.status("input-required", rest === "" ? "Which one?" : rest))
    case "auth":
      return Stream.concat(replies(Reply.status("auth-required", "Please sign in")), after(2000, "authorized"))
    case "slow":
      return Stream.concat(replies(Reply.status("working")), after(numberOf(first, 1) * 1000, "done"))
    case "collect":
      return collect(turn)
    case "fail":
      return replies(Reply.status("failed", rest === "" ? undefined : rest))
    case "reject":
      return replies(Reply.status("rejected", rest === "" ? undefined : rest))
    case "die":
      return Stream.die(new Error("the demo agent died, as asked"))
    case "refuse":
      return refuse(first ?? "")
    case "hello":
      return Effect.succeed("Hello yourself")
    case "file":
      return file
    case "context":
      return context(turn)
    case "whoami":
      return whoami(turn)
    case "echo":
      return replies(rest)
    default:
      return replies(text)
  }
}

/** The demo agent. Messages to a task at work are taken by `collect` only. */
export const layer = AgentExecutor.layer(execute, {
  takesUpdates: ({ message, task }) => task === undefined && /^\s*collect\b/.test(Message.text(message))
})
