// All targets.
import type { Target } from "../target.ts"
import { client } from "./client.ts"
import { decoders, errors } from "./decoders.ts"
import { server } from "./server.ts"
import { signatures } from "./signatures.ts"
import { sse } from "./sse.ts"
import { views } from "./views.ts"

export const targets: ReadonlyArray<Target> = [decoders, errors, sse, views, client, server, signatures]
