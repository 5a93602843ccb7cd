/**
 * The texts that signatures of a card may cover (A2A 1.0.1 §8.4.1). The specification leaves out members at their default,
 * unless they are REQUIRED or have presence; the SDKs for JavaScript and Python leave out whatever is empty, REQUIRED or
 * not. Tested in `packages/signatures/test/cardSignature.test.ts`.
 */
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as CanonicalJson from "../CanonicalJson.ts"

/** A JSON object. */
export type Document = Readonly<Record<string, unknown>>

/** A message of the specification. Members that it does not name are kept as they are. */
interface Message {
  /** The members without presence that are not REQUIRED: left out at their default. */
  readonly implicit?: ReadonlyArray<string>
  /** Members that are messages, or lists of them. */
  readonly messages?: Readonly<Record<string, Message>>
  /** Members that are maps of messages. */
  readonly maps?: Readonly<Record<string, Message>>
}

const described: Message = { implicit: ["description"] }
const flow: Message = { implicit: ["authorizationUrl", "tokenUrl", "refreshUrl", "pkceRequired"] }
const requirement: Message = { implicit: ["schemes"], maps: { schemes: { implicit: ["list"] } } }

const scheme: Message = {
  messages: {
    apiKeySecurityScheme: described,
    httpAuthSecurityScheme: { implicit: ["description", "bearerFormat"] },
    oauth2SecurityScheme: {
      implicit: ["description", "oauth2MetadataUrl"],
      messages: {
        flows: {
          messages: {
            authorizationCode: { implicit: ["refreshUrl", "pkceRequired"] },
            clientCredentials: { implicit: ["refreshUrl"] },
            deviceCode: { implicit: ["refreshUrl"] },
            implicit: flow,
            password: flow
          }
        }
      }
    },
    openIdConnectSecurityScheme: described,
    mtlsSecurityScheme: described
  }
}

const card: Message = {
  implicit: ["securitySchemes", "securityRequirements"],
  messages: {
    supportedInterfaces: { implicit: ["tenant"] },
    capabilities: {
      implicit: ["extensions"],
      messages: { extensions: { implicit: ["uri", "description", "required"] } }
    },
    securityRequirements: requirement,
    skills: {
      implicit: ["examples", "inputModes", "outputModes", "securityRequirements"],
      messages: { securityRequirements: requirement }
    }
  },
  maps: { securitySchemes: scheme }
}

const isDocument = (value: unknown): value is Document => Predicate.isObject(value) && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === "" || value === null || value === undefined ||
  (typeof value === "object" && Object.keys(value).length === 0)

const isDefault = (value: unknown): boolean => value === false || value === 0 || isEmpty(value)

const mapValues = (value: Document, change: (member: unknown, name: string) => unknown): Document =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]))

/** Leaves out the members of a message at their default; `null` stands for an absent member (ProtoJSON). */
const withoutDefaults = (value: unknown, message: Message): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, message))
  if (!isDocument(value)) return value
  const { implicit = [], maps = {}, messages = {} } = message
  const kept = Object.entries(value).filter(([name, member]) =>
    member !== undefined && member !== null && !(implicit.includes(name) && isDefault(member))
  )
  return mapValues(Object.fromEntries(kept), (member, name) => {
    const one = Object.hasOwn(messages, name) ? messages[name] : undefined
    if (one !== undefined) return withoutDefaults(member, one)
    const each = Object.hasOwn(maps, name) ? maps[name] : undefined
    return each === undefined || !isDocument(member) ? member : mapValues(member, (item) => withoutDefaults(item, each))
  })
}

/** Leaves out empty texts, lists and objects, and what is empty without them. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((item) => !isEmpty(item))
  if (!isDocument(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const).filter(([, member]) =>
      !isEmpty(member)
    )
  )
}

const members03 = [
  "protocolVersion",
  "url",
  "preferredTransport",
  "additionalInterfaces",
  "supportsAuthenticatedExtendedCard",
  "security"
]

const omit = (value: Document, names: ReadonlyArray<string>): Document =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Leaves out what a card of 1.0 repeats for clients of 0.3, which signers that know 1.0 only do not see. */
const without03 = (document: Document): Document => {
  const { skills, supportedInterfaces } = document
  if (!Array.isArray(supportedInterfaces) || supportedInterfaces.length === 0) return document
  const common = omit(document, members03)
  return Array.isArray(skills)
    ? { ...common, skills: skills.map((skill) => isDocument(skill) ? omit(skill, ["security"]) : skill) }
    : common
}

/** A text that a signature may cover, and the document that is read if it does. */
export interface Payload {
  readonly text: string
  readonly document: Document
}

/** The text of the specification, and, unless `strict`, that of the other SDKs, which does not cover what is empty. */
const forms = (document: Document, strict: boolean): ReadonlyArray<Result.Result<Payload, string>> => {
  const own = withoutDefaults(omit(document, ["signatures"]), card)
  const read = isDocument(own) ? own : {}
  return (strict ? [own] : [own, withoutEmpty(own)]).map((form) =>
    Result.map(CanonicalJson.stringify(form), (text) => ({ text, document: read }))
  )
}

const unique = (all: ReadonlyArray<Result.Result<Payload, string>>): Result.Result<ReadonlyArray<Payload>, string> =>
  Result.map(Result.all(all), Arr.dedupeWith((a, b) => a.text === b.text))

/** Returns the texts to sign of a document: the specification's first, then that of the other SDKs if it differs. */
export const toSign = (document: Document): Result.Result<ReadonlyArray<Payload>, string> =>
  unique(forms(without03(document), false))

/** The most characters of a received card: each signature is verified over all of them. */
const maxSize = 1024 * 1024

/** Returns the texts that signatures of a received document may cover, those of the whole document first. */
export const ofReceived = (document: unknown, strict: boolean): Result.Result<ReadonlyArray<Payload>, string> =>
  // what has a canonical form has few levels, so that it can be walked through
  Result.flatMap(CanonicalJson.stringify(document), ({ length }) =>
    length > maxSize
      ? Result.fail(`more than ${maxSize} characters`)
      : isDocument(document)
      ? unique([...forms(document, strict), ...forms(without03(document), strict)])
      : Result.fail("not a JSON object"))
