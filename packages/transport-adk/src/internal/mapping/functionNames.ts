/** Names of the functions by which ADK agents ask a person. */
export const confirmation = "adk_request_confirmation"
export const credential = "adk_request_credential"
export const input = "adk_request_input"
