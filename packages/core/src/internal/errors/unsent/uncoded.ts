/**
 * Failed connections in browsers (condition `browser` of `#unsent` in the manifest), which do not say why they failed: a
 * refused connection looks like a lost one. Only an application's own client can know more.
 */
export const isUnsent = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ECONNREFUSED" || cause.code === "ERR_NOT_SENT")
