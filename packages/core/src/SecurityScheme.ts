/**
 * How an agent wants to be authenticated (specification §4.5).
 *
 * ```ts
 * import { SecurityScheme } from "@effect-a2a/core"
 * import { Schema } from "effect"
 *
 * Schema.is(SecurityScheme.SecurityScheme)({ _tag: "ApiKey", location: "header", name: "x-api-key" }) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const description = Schema.optionalKey(Schema.String)

/** OAuth scopes: name to description. */
export const Scopes = Schema.Record(Schema.String, Schema.String)

const refreshUrl = Schema.optionalKey(Schema.String)

export const AuthorizationCode = Schema.TaggedStruct("AuthorizationCode", {
  authorizationUrl: Schema.String,
  tokenUrl: Schema.String,
  refreshUrl,
  scopes: Scopes,
  pkceRequired: Schema.optionalKey(Schema.Boolean)
})
export const ClientCredentials = Schema.TaggedStruct("ClientCredentials", {
  tokenUrl: Schema.String,
  refreshUrl,
  scopes: Scopes
})
export const DeviceCode = Schema.TaggedStruct("DeviceCode", {
  deviceAuthorizationUrl: Schema.String,
  tokenUrl: Schema.String,
  refreshUrl,
  scopes: Scopes
})
export const Implicit = Schema.TaggedStruct("Implicit", { authorizationUrl: Schema.String, refreshUrl, scopes: Scopes })
export const Password = Schema.TaggedStruct("Password", { tokenUrl: Schema.String, refreshUrl, scopes: Scopes })

/** One way to get a token. A 1.0 card has one per scheme, a 0.3 card may list several. */
export const OAuthFlow = Schema.Union([AuthorizationCode, ClientCredentials, DeviceCode, Implicit, Password])
export type OAuthFlow = typeof OAuthFlow.Type

export const ApiKey = Schema.TaggedStruct("ApiKey", {
  description,
  location: Schema.Literals(["query", "header", "cookie"]),
  name: Schema.String
})
export const HttpAuth = Schema.TaggedStruct("HttpAuth", {
  description,
  scheme: Schema.String,
  bearerFormat: Schema.optionalKey(Schema.String)
})
export const OAuth2 = Schema.TaggedStruct("OAuth2", {
  description,
  flows: Schema.Array(OAuthFlow),
  oauth2MetadataUrl: Schema.optionalKey(Schema.String)
})
export const OpenIdConnect = Schema.TaggedStruct("OpenIdConnect", { description, openIdConnectUrl: Schema.String })
export const MutualTls = Schema.TaggedStruct("MutualTls", { description })

export const SecurityScheme = Schema.Union([ApiKey, HttpAuth, OAuth2, OpenIdConnect, MutualTls])
export type SecurityScheme = typeof SecurityScheme.Type

/** Names of schemes that must all be met, each with its scopes. */
export const SecurityRequirement = Schema.Record(Schema.String, Schema.Array(Schema.String))
export type SecurityRequirement = typeof SecurityRequirement.Type
