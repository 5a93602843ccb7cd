/** As much of Express as the peer's server needs; its own types are a package of their own. */
declare module "express" {
  import type { RequestListener } from "node:http"
  const express: () => RequestListener & { readonly use: (path: string, handler: unknown) => void }
  export default express
  export type RequestHandler = unknown
  export type Request = unknown
}
