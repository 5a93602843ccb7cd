/**
 * Security schemes and requirements. Peers write four shapes: named by a member (1.0, or the shorter name of 0.3), tagged
 * with `type` (0.3), and tagged with `$case` (servers that print their memory). All are read, the first two are written.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SecurityScheme from "../../SecurityScheme.ts"
import { makeRewrite } from "./lenient.ts"
import * as Wire from "./wireSchema.ts"

type Scheme = SecurityScheme.SecurityScheme
type Flow = SecurityScheme.OAuthFlow

/** Returns the own member of a table, since a peer may ask for `constructor`. */
const find = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const toMembers = (value: unknown): Wire.Members => Predicate.isReadonlyObject(value) ? value : {}

/** Converts `{ $case, value }` to `{ [$case]: value }`. */
const fromCase = (value: unknown): Wire.Members => {
  const members = toMembers(value)
  return typeof members.$case === "string" ? { [members.$case]: members.value } : members
}

/** Creates a reader of one kind. It returns `undefined` for an object of another kind, and leaves out empty options. */
const makeReader = <A extends Scheme | Flow>(
  make: (wire: Wire.Members) => Pick<A, "_tag">,
  required: ReadonlyArray<string>,
  options: Schema.Struct.Fields
) => {
  const rewrite = Wire.lazy(() =>
    makeRewrite(Wire.struct({
      ...Object.fromEntries(required.map((name) => [name, Schema.String])),
      ...options
    }))
  )
  const pick = (wire: Wire.Members, names: ReadonlyArray<string>) =>
    Object.fromEntries(names.map((name) => [name, wire[name]]))
  return (value: unknown): A | undefined => {
    const { document, findings } = rewrite()(value)
    return findings.length === 0 && Predicate.isReadonlyObject(document)
      ? { ...pick(document, required), ...Wire.compact(pick(document, Object.keys(options))), ...make(document) } as A
      : undefined
  }
}

const makeFlow = (tag: Flow["_tag"], required: ReadonlyArray<string>, options: Schema.Struct.Fields = {}) =>
  makeReader<Flow>(({ scopes = {} }) => ({ _tag: tag, scopes }), required, {
    refreshUrl: Wire.text,
    scopes: Wire.optional(Schema.Record(Schema.String, Schema.String)),
    ...options
  })

const flowReaders: { readonly [member: string]: (value: unknown) => Flow | undefined } = {
  authorizationCode: makeFlow("AuthorizationCode", ["authorizationUrl", "tokenUrl"], { pkceRequired: Wire.flag }),
  clientCredentials: makeFlow("ClientCredentials", ["tokenUrl"]),
  deviceCode: makeFlow("DeviceCode", ["deviceAuthorizationUrl", "tokenUrl"]),
  implicit: makeFlow("Implicit", ["authorizationUrl"]),
  password: makeFlow("Password", ["tokenUrl"])
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const readFlows = (value: unknown): ReadonlyArray<Flow> => {
  const { flow, ...flows } = toMembers(value)
  return Object.entries({ ...fromCase(flow), ...fromCase(flows) }).flatMap(([member, wire]) => {
    const read = find(flowReaders, camel(member))?.(wire)
    return read === undefined ? [] : [read]
  })
}

const makeScheme = (
  _tag: Scheme["_tag"],
  required: ReadonlyArray<string> = [],
  options: Schema.Struct.Fields = {},
  make: (wire: Wire.Members) => object = () => ({})
) => makeReader<Scheme>((wire) => ({ _tag, ...make(wire) }), required, { description: Wire.text, ...options })

const schemeReaders: { readonly [member: string]: (value: unknown) => Scheme | undefined } = {
  apiKeySecurityScheme: makeScheme("ApiKey", ["location", "name"], {
    location: Schema.Literals(["query", "header", "cookie"])
  }),
  httpAuthSecurityScheme: makeScheme("HttpAuth", ["scheme"], { bearerFormat: Wire.text }),
  oauth2SecurityScheme: makeScheme(
    "OAuth2",
    [],
    { oauth2MetadataUrl: Wire.text, flows: Wire.optional(Wire.json) },
    ({ flows }) => ({
      flows: readFlows(flows)
    })
  ),
  openIdConnectSecurityScheme: makeScheme("OpenIdConnect", ["openIdConnectUrl"]),
  mtlsSecurityScheme: makeScheme("MutualTls")
}

/** The members of 1.0 by the names that peers give to the kinds, in any case and with any separators. */
const memberByKind: { readonly [kind: string]: string } = {
  apikey: "apiKeySecurityScheme",
  http: "httpAuthSecurityScheme",
  httpauth: "httpAuthSecurityScheme",
  oauth2: "oauth2SecurityScheme",
  openidconnect: "openIdConnectSecurityScheme",
  mutualtls: "mtlsSecurityScheme",
  mtls: "mtlsSecurityScheme"
}

/** Returns the kind that a type or a member names: `oauth2`, `OAuth2`, `oauth2_security_scheme`. */
const memberOf = (name: string): string | undefined =>
  // the longest name of a kind, in words, has fewer characters
  name.length > 50
    ? undefined
    : find(memberByKind, name.toLowerCase().replace(/[_-]/g, "").replace(/securityscheme$/, ""))

const withLocation = (wire: Wire.Members): Wire.Members => {
  const location = wire.in ?? wire.location
  return { ...wire, location: typeof location === "string" ? location.toLowerCase() : location }
}

/** Reads a scheme that is named by a member, or tagged with `type`; a tagged one may have its members one level down. */
const readScheme = (value: unknown): Scheme | undefined => {
  const wire = fromCase(value)
  const kinds = Object.entries({ ...fromCase(wire.scheme), ...wire }).flatMap(([name, one]) => {
    const kind = Predicate.isReadonlyObject(one) ? memberOf(name) : undefined
    return kind === undefined ? [] : [[kind, toMembers(one)] as const]
  })
  const type = typeof wire.type === "string" ? memberOf(wire.type) : undefined
  if (type !== undefined) {
    const inner = kinds.filter(([kind]) => kind === type).map(([, one]) => one)
    return schemeReaders[type]?.(withLocation(Object.assign({}, wire, ...inner)))
  }
  for (const [kind, one] of kinds) {
    const scheme = schemeReaders[kind]?.(withLocation(one))
    if (scheme !== undefined) return scheme
  }
  return undefined
}

/** Reads schemes. Those of an unknown kind are left out, so that a requirement that names one cannot be met. */
export const readSchemes = (value: unknown): Readonly<Record<string, Scheme>> =>
  Object.fromEntries(
    Object.entries(toMembers(value)).flatMap(([name, wire]) => {
      const scheme = readScheme(wire)
      return scheme === undefined ? [] : [[name, scheme]]
    })
  )

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

/** Reads requirements: `{ schemes: { name: { list } } }` of 1.0, `{ name: [scope] }` of 0.3. */
export const readRequirements = (value: unknown): ReadonlyArray<SecurityScheme.SecurityRequirement> =>
  (Array.isArray(value) ? value : []).filter(Predicate.isReadonlyObject).map((wire) =>
    Object.fromEntries(
      Object.entries(Predicate.isReadonlyObject(wire.schemes) ? wire.schemes : wire.schemes === null ? {} : wire).map((
        [name, scopes]
      ) => [
        name,
        strings(Predicate.isReadonlyObject(scopes) ? scopes.list : scopes)
      ])
    )
  )

const writeFlow = (flow: Flow, withPkce: boolean): Wire.JsonObject => {
  const { _tag, pkceRequired, ...fields } = { pkceRequired: undefined, ...flow }
  const isRequired = withPkce && pkceRequired === true
  return { [_tag[0]!.toLowerCase() + _tag.slice(1)]: { ...fields, ...(isRequired ? { pkceRequired } : undefined) } }
}

/** Writes a scheme of 1.0, which has one flow: the first. */
export const writeScheme = (scheme: Scheme): Wire.JsonObject => {
  const { _tag, ...fields } = scheme
  switch (scheme._tag) {
    case "ApiKey":
      return { apiKeySecurityScheme: fields as Wire.JsonObject }
    case "HttpAuth":
      return { httpAuthSecurityScheme: fields as Wire.JsonObject }
    case "OAuth2": {
      const flows = scheme.flows[0] === undefined ? {} : writeFlow(scheme.flows[0], true)
      return { oauth2SecurityScheme: { ...fields, flows } as Wire.JsonObject }
    }
    case "OpenIdConnect":
      return { openIdConnectSecurityScheme: fields as Wire.JsonObject }
    case "MutualTls":
      return { mtlsSecurityScheme: fields as Wire.JsonObject }
  }
}

/** Writes a scheme of 0.3, which has neither the device flow nor required PKCE. */
export const writeTypedScheme = (scheme: Scheme): Wire.JsonObject => {
  const { _tag, ...fields } = scheme
  switch (scheme._tag) {
    case "ApiKey": {
      const { _tag, location, ...rest } = scheme
      return { type: "apiKey", in: location, ...rest }
    }
    case "HttpAuth":
      return { type: "http", ...fields } as Wire.JsonObject
    case "OAuth2": {
      const flows = scheme.flows.filter((flow) => flow._tag !== "DeviceCode").map((flow) => writeFlow(flow, false))
      return { type: "oauth2", ...fields, flows: Object.assign({}, ...flows) } as Wire.JsonObject
    }
    case "OpenIdConnect":
      return { type: "openIdConnect", ...fields } as Wire.JsonObject
    case "MutualTls":
      return { type: "mutualTLS", ...fields } as Wire.JsonObject
  }
}

export const writeRequirement = (requirement: SecurityScheme.SecurityRequirement): Wire.JsonObject => ({
  schemes: Object.fromEntries(
    Object.entries(requirement).map(([name, list]) => [name, list.length > 0 ? { list } : {}])
  )
})
