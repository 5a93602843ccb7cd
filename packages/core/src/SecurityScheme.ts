/**
 * The ways in which an agent accepts credentials (A2A 1.0 §4.5).
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
const refreshUrl = Schema.optionalKey(Schema.String)

/** OAuth scopes: name to description. */
export const Scopes = Schema.Record(Schema.String, Schema.String).annotate({ identifier: "Scopes" })

/** The authorization code flow of OAuth 2.0. */
export class AuthorizationCode extends Schema.Opaque<AuthorizationCode>()(
  Schema.TaggedStruct("AuthorizationCode", {
    authorizationUrl: Schema.String,
    tokenUrl: Schema.String,
    refreshUrl,
    scopes: Scopes,
    pkceRequired: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "AuthorizationCode" })
) {}

/** The client credentials flow of OAuth 2.0, for programs without a user. */
export class ClientCredentials extends Schema.Opaque<ClientCredentials>()(
  Schema.TaggedStruct("ClientCredentials", { tokenUrl: Schema.String, refreshUrl, scopes: Scopes }).annotate({
    identifier: "ClientCredentials"
  })
) {}

/** The device authorization flow (RFC 8628). */
export class DeviceCode extends Schema.Opaque<DeviceCode>()(
  Schema.TaggedStruct("DeviceCode", {
    deviceAuthorizationUrl: Schema.String,
    tokenUrl: Schema.String,
    refreshUrl,
    scopes: Scopes
  }).annotate({ identifier: "DeviceCode" })
) {}

/** The implicit flow of OAuth 2.0, which OAuth 2.1 drops. */
export class Implicit extends Schema.Opaque<Implicit>()(
  Schema.TaggedStruct("Implicit", { authorizationUrl: Schema.String, refreshUrl, scopes: Scopes }).annotate({
    identifier: "Implicit"
  })
) {}

/** The resource owner password flow of OAuth 2.0, which OAuth 2.1 drops. */
export class Password extends Schema.Opaque<Password>()(
  Schema.TaggedStruct("Password", { tokenUrl: Schema.String, refreshUrl, scopes: Scopes }).annotate({
    identifier: "Password"
  })
) {}

/** A flow that ends in an access token. A 1.0 card has one per scheme, a 0.3 card may list several. */
export const OAuthFlow = Schema.Union([AuthorizationCode, ClientCredentials, DeviceCode, Implicit, Password]).annotate({
  identifier: "OAuthFlow"
})
/** A flow that ends in an access token. */
export type OAuthFlow = AuthorizationCode | ClientCredentials | DeviceCode | Implicit | Password

/** A key in a query parameter, a header or a cookie. */
export class ApiKey extends Schema.Opaque<ApiKey>()(
  Schema.TaggedStruct("ApiKey", {
    description,
    location: Schema.Literals(["query", "header", "cookie"]),
    name: Schema.String
  }).annotate({ identifier: "ApiKey" })
) {}

/** An HTTP authentication scheme, such as `Bearer` or `Basic`, in the `Authorization` header. */
export class HttpAuth extends Schema.Opaque<HttpAuth>()(
  Schema.TaggedStruct("HttpAuth", {
    description,
    scheme: Schema.String,
    bearerFormat: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "HttpAuth" })
) {}

/** An access token of OAuth 2.0, by one of the flows. */
export class OAuth2 extends Schema.Opaque<OAuth2>()(
  Schema.TaggedStruct("OAuth2", {
    description,
    flows: Schema.Array(OAuthFlow),
    oauth2MetadataUrl: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "OAuth2" })
) {}

/** A token of OpenID Connect; the URL is that of the provider's configuration. */
export class OpenIdConnect extends Schema.Opaque<OpenIdConnect>()(
  Schema.TaggedStruct("OpenIdConnect", { description, openIdConnectUrl: Schema.String }).annotate({
    identifier: "OpenIdConnect"
  })
) {}

/** A client certificate. */
export class MutualTls extends Schema.Opaque<MutualTls>()(
  Schema.TaggedStruct("MutualTls", { description }).annotate({ identifier: "MutualTls" })
) {}

/** A way in which an agent accepts credentials. */
export const SecurityScheme = Schema.Union([ApiKey, HttpAuth, OAuth2, OpenIdConnect, MutualTls]).annotate({
  identifier: "SecurityScheme"
})
/** A way in which an agent accepts credentials. */
export type SecurityScheme = ApiKey | HttpAuth | OAuth2 | OpenIdConnect | MutualTls

/** Names of schemes, each with its scopes; the caller needs credentials for all of them. */
export const SecurityRequirement = Schema.Record(Schema.String, Schema.Array(Schema.String)).annotate({
  identifier: "SecurityRequirement"
})
/** Names of schemes, each with its scopes. */
export type SecurityRequirement = typeof SecurityRequirement.Type
