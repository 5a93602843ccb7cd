/** The names of states and roles, in every known spelling: 1.0, 0.3, lower case, and both spellings of "canceled". */
import * as Schema from "effect/Schema"
import type * as Message from "../../Message.ts"
import type * as TaskState from "../../TaskState.ts"
import { namesKey } from "./wireSchema.ts"

/** The states by enumeration number. */
const stateByNumber: ReadonlyArray<TaskState.TaskState> = [
  "unspecified",
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
  "rejected",
  "auth-required"
]

const toProto = (state: string) => `TASK_STATE_${state.toUpperCase().replaceAll("-", "_")}`

export const protoStates = Object.fromEntries(
  stateByNumber.map((state) => [state, toProto(state)])
) as Readonly<Record<TaskState.TaskState, string>>

export const protoRoles: Readonly<Record<Message.Role, string>> = {
  unspecified: "ROLE_UNSPECIFIED",
  user: "ROLE_USER",
  agent: "ROLE_AGENT"
}

const states: ReadonlyMap<string, TaskState.TaskState> = new Map([
  ...stateByNumber.flatMap((state) => [[state, state], [toProto(state), state]] as const),
  ["TASK_STATE_CANCELLED", "canceled"],
  ["cancelled", "canceled"],
  ["unknown", "unspecified"],
  ["input_required", "input-required"],
  ["auth_required", "auth-required"]
])

const roles: ReadonlyMap<string, Message.Role> = new Map([
  ["ROLE_UNSPECIFIED", "unspecified"],
  ["ROLE_USER", "user"],
  ["ROLE_AGENT", "agent"],
  ["user", "user"],
  ["agent", "agent"]
])

/** Reads a state in any spelling and case. Returns `undefined` for a state of a later version. */
export const readState = (name: string): TaskState.TaskState | undefined =>
  states.get(name) ?? states.get(name.toLowerCase())

/** Reads a role in any spelling and case. Returns `undefined` for a role of a later version. */
export const readRole = (name: string): Message.Role | undefined => roles.get(name) ?? roles.get(name.toLowerCase())

/** A state in a request; unknown ones are errors. */
export const stateNames = Schema.Literals([...states.keys()]).annotate({
  expected: "a task state",
  [namesKey]: stateByNumber.map(toProto)
})

/** A role in a request. */
export const roleNames = Schema.Literals([...roles.keys()].filter((name) => name !== "ROLE_UNSPECIFIED")).annotate({
  expected: "a role: user or agent",
  [namesKey]: Object.values(protoRoles)
})
