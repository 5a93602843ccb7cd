/** Values by source, of which the oldest are forgotten: memory does not grow with a stream. */

const maxSources = 4_096

/** Sets the value of a source. */
export const put = <A>(sources: Map<string, A>, id: string, value: A): void => {
  if (!sources.has(id) && sources.size >= maxSources) sources.delete(sources.keys().next().value!)
  sources.set(id, value)
}
