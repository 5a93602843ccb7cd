/** Failed connections of Node.js and Bun, whose causes have codes. Tested in `test/resilience/sendDelivery.test.ts`. */

// codes of failures that happen before a request is written: address, connection, TLS handshake
const unsent = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
  // of our own clients
  "ERR_NOT_SENT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG"
])
const unsentSyscalls = new Set<unknown>(["connect", "getaddrinfo"])
const unsentPattern = /^(?:CERT_|ERR_TLS_CERT_)/

/** True if the cause of a failed connection shows that no request was written. */
export const isUnsent = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false
  const { code, syscall } = cause as { readonly code?: unknown; readonly syscall?: unknown }
  return unsent.has(code) || unsentSyscalls.has(syscall) || unsentPattern.test(String(code)) ||
    (cause instanceof AggregateError && cause.errors.some(isUnsent))
}
