/** The part of Express that the peers use; its types are a separate package. */
declare module "express" {
  import type { RequestListener } from "node:http"
  const express: () => RequestListener & { readonly use: (path: string, handler: unknown) => void }
  export default express
  export type RequestHandler = unknown
  export type Request = unknown
}
