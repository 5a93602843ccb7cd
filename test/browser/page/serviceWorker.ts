import * as calls from "./calls.ts"
import { serve } from "./serve.ts"

serve(Promise.resolve(calls))
