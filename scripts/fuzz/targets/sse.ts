// The parser of event streams: the same events however the text is cut.
import * as HttpPeer from "@effect-a2a/core/HttpPeer"
import { mutateText } from "../mutate.ts"
import * as Random from "../random.ts"
import { finding, refusal, type Target, value } from "../target.ts"

const seeds = [
  "data: {\"a\":1}\n\nid: 1\nevent: message\ndata: a\ndata: b\n\n: comment\nretry: 1000\n\n",
  "\ufeffdata:x\r\n\r\nid\r\ndata\r\n\r\nfield: ignored\r\ndata: 1\r\r",
  "event: error\ndata: {\"error\":{}}\n\ndata: end without a blank line"
]

const maxEventSize = 5000

const read = (pieces: ReadonlyArray<string>) => {
  const events: Array<unknown> = []
  const parser = HttpPeer.makeParser((event) => events.push(event), { maxEventSize })
  const isRead = pieces.every((piece) => parser.feed(piece))
  return { isRead, events: JSON.stringify(events) }
}

const cut = (text: string, random: Random.Random) => {
  const pieces: Array<string> = []
  for (let at = 0; at < text.length;) {
    const size = 1 + random.below(random.pick([1, 3, 50]))
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

export const sse: Target = {
  name: "event streams",
  generate: (random) => {
    let text = random.pick(seeds)
    for (let times = random.below(4); times > 0; times--) text = mutateText(text, random.pick(seeds), random)
    return { variant: String(random.below(1e9)), text: text.slice(0, 50_000) }
  },
  run: ({ text, variant }) => {
    const whole = read([text])
    const pieces = read(cut(text, Random.make(variant)))
    if (!whole.isRead || !pieces.isRead) return refusal
    return whole.events === pieces.events ? value : finding(`${whole.events} is ${pieces.events} in pieces`)
  }
}
