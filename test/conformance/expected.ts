// Tests of the suites that fail, each with the paragraph that the test contradicts. A test that passes again must go.

export interface Expected {
  /** `1.0`, `0.3 jsonrpc` or `0.3 rest`. */
  readonly suite: string
  /** A part of the test's name that no other has. */
  readonly test: string
  readonly reason: string
}

export const expected: ReadonlyArray<Expected> = []
