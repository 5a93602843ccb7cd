/** Facts that the last update of a run reports. Tested in test/adk/mapping.test.ts. */
import type { Metadata } from "@effect-a2a/core/Metadata"
import type * as Schema from "effect/Schema"
import * as AdkEvent from "../../AdkEvent.ts"
import * as PendingCalls from "./pendingCalls.ts"

/** The failure of a run. */
export interface Failure {
  readonly message: string
  readonly metadata?: Metadata
}

/** Facts of a run so far. */
export interface RunSummary {
  readonly stateDelta: Schema.JsonObject
  readonly artifactDelta: { readonly [filename: string]: number }
  readonly pending: PendingCalls.PendingCalls
  readonly failure?: Failure
  readonly invocationId?: string
  readonly output?: Schema.Json
}

/** Creates the summary of a run that begins with calls pending since earlier runs of its task. */
export const make = (pending: PendingCalls.PendingCalls): RunSummary => ({ stateDelta: {}, artifactDelta: {}, pending })

const toFailure = ({ code, message }: NonNullable<ReturnType<typeof AdkEvent.failure>>): Failure => ({
  message,
  metadata: { ...(code !== undefined && { adk_error_code: code }), adk_error_message: message }
})

/** Adds an event. */
export const add = (summary: RunSummary, event: AdkEvent.Event): RunSummary => {
  const { actions = {}, invocationId, output } = event
  const failure = AdkEvent.failure(event)
  return {
    ...summary,
    ...(invocationId && { invocationId }),
    ...(output !== undefined && { output }),
    ...(actions.stateDelta && { stateDelta: { ...summary.stateDelta, ...actions.stateDelta } }),
    ...(actions.artifactDelta && { artifactDelta: { ...summary.artifactDelta, ...actions.artifactDelta } }),
    ...(failure && { failure: toFailure(failure) }),
    pending: PendingCalls.add(summary.pending, event)
  }
}

/** Returns the metadata of the last update. */
export const toMetadata = ({ artifactDelta, invocationId, output, stateDelta }: RunSummary): Metadata => {
  const actions = {
    ...(Object.keys(stateDelta).length > 0 && { stateDelta }),
    ...(Object.keys(artifactDelta).length > 0 && { artifactDelta })
  }
  return {
    ...(invocationId !== undefined && { adk_invocation_id: invocationId }),
    ...(Object.keys(actions).length > 0 && { adk_actions: actions }),
    ...(output !== undefined && { adk_output: output })
  }
}
