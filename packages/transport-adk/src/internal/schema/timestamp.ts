/** Times of the wire: seconds on Python, milliseconds on JavaScript. No time in seconds is as large for 1 000 years. */
export const millis = (raw: number): number => raw > 1e11 ? raw : raw * 1000
