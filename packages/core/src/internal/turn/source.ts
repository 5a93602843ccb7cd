/** The names of the sources that steps come from. */

const artifact = "artifact "

/** Names an artifact. */
export const ofArtifact = (artifactId: string): string => artifact + artifactId

/** Names a message. */
export const ofMessage = (messageId: string): string => `message ${messageId}`

/** The status messages of an agent that continue each other. */
export const status = "status"

/** Returns true for the name of an artifact. */
export const isOfArtifact = (source: string): boolean => source.startsWith(artifact)
