/** The work that a JSON text makes, known before it is parsed: values take many times the memory of their text. */

const quote = 34
const backslash = 92
const comma = 44
const bracket = 91
const brace = 123

/** Returns true if a text holds more than `max` members and elements, in one pass that ends as soon as it is known. */
export const hasMoreValues = (text: string, max: number): boolean => {
  let values = 0
  let isInString = false
  for (let at = 0; at < text.length && values <= max; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) isInString = !isInString
    else if (isInString) at += code === backslash ? 1 : 0
    else if (code === comma || code === bracket || code === brace) values++
  }
  return values > max
}
