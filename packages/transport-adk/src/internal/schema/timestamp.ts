/** Timestamps of the wire: seconds on Python, milliseconds on JavaScript. Tested in packages/transport-adk/test/schema.test.ts. */

/** Converts a timestamp to milliseconds. Seconds reach 1e11 in the year 5138. */
export const toMillis = (timestamp: number): number => timestamp > 1e11 ? timestamp : timestamp * 1000
