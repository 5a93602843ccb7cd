/**
 * Failed connections in browsers (condition `browser` of `#unsent` in the manifest), which do not say why they failed: a
 * refused connection looks like a lost one.
 */
export const isUnsent: (cause: unknown) => boolean = () => false
