import * as calls from "./calls.ts"

const violations: Array<string> = []
document.addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective}: ${event.blockedURI}`)
})
Object.assign(globalThis, { calls, violations })
