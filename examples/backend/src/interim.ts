import { AgentStream, type Answer, type StreamEvent } from "@effect-a2a/core"
import { Effect, Stream } from "effect"

export type Step = { readonly _tag: "Text"; readonly text: string } | {
  readonly _tag: "Answer"
  readonly answer: Answer.Answer
}
export const steps = <E, R>(self: Stream.Stream<StreamEvent.StreamEvent, E, R>): Stream.Stream<Step, E, R> =>
  Stream.suspend(() => {
    const events: Array<StreamEvent.StreamEvent> = []
    const text = self.pipe(
      Stream.tap((event) => Effect.sync(() => events.push(event))),
      AgentStream.text,
      Stream.map((text): Step => ({ _tag: "Text", text }))
    )
    const answer = Stream.fromEffect(
      Effect.map(
        Effect.suspend(() => AgentStream.answer(Stream.fromIterable(events))),
        (answer): Step => ({ _tag: "Answer", answer })
      )
    )
    return Stream.concat(text, answer)
  })

export const text = AgentStream.text
export const answer = AgentStream.answer
