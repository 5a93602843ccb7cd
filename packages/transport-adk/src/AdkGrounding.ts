/**
 * Sources of an answer: searches, maps, documents, citations. They change with the models, so every member is optional and
 * unknown members are kept.
 *
 * ```ts
 * import { AdkGrounding } from "@effect-a2a/transport-adk"
 * import { Schema } from "effect"
 *
 * const metadata = Schema.decodeUnknownSync(AdkGrounding.GroundingMetadata)({
 *   groundingChunks: [{ web: { uri: "https://a.test", title: null } }]
 * })
 * metadata.groundingChunks?.map(({ web }) => web) // => [{ uri: "https://a.test" }]
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { looseStruct, numbers, strings } from "./internal/schema/looseStruct.ts"

const ReviewSnippet = looseStruct({
  authorAttribution: looseStruct({ displayName: Schema.String, photoUri: Schema.String, uri: Schema.String }),
  flagContentUri: Schema.String,
  googleMapsUri: Schema.String,
  relativePublishTimeDescription: Schema.String,
  review: Schema.String,
  reviewId: Schema.String,
  title: Schema.String
})

/** A source. The member that is present says which kind it is. */
export const GroundingChunk = looseStruct({
  web: looseStruct({ uri: Schema.String, title: Schema.String, domain: Schema.String }),
  image: looseStruct({
    sourceUri: Schema.String,
    imageUri: Schema.String,
    title: Schema.String,
    domain: Schema.String
  }),
  maps: looseStruct({
    placeId: Schema.String,
    text: Schema.String,
    title: Schema.String,
    uri: Schema.String,
    route: looseStruct({ distanceMeters: Schema.Finite, duration: Schema.String, encodedPolyline: Schema.String }),
    placeAnswerSources: looseStruct({
      flagContentUri: Schema.String,
      reviewSnippet: Schema.Array(ReviewSnippet),
      reviewSnippets: Schema.Array(ReviewSnippet)
    })
  }),
  retrievedContext: looseStruct({
    documentName: Schema.String,
    text: Schema.String,
    title: Schema.String,
    uri: Schema.String,
    ragChunk: looseStruct({
      pageSpan: looseStruct({ firstPage: Schema.Finite, lastPage: Schema.Finite }),
      text: Schema.String,
      chunkId: Schema.String,
      fileId: Schema.String
    }),
    customMetadata: Schema.Array(looseStruct({
      key: Schema.String,
      numericValue: Schema.Finite,
      stringValue: Schema.String,
      stringListValue: looseStruct({ values: strings })
    })),
    fileSearchStore: Schema.String,
    pageNumber: Schema.Finite,
    mediaId: Schema.String
  })
}).annotate({ identifier: "AdkGroundingChunk" })
export type GroundingChunk = typeof GroundingChunk.Type

/** Connects a segment of the answer to its sources. */
export const GroundingSupport = looseStruct({
  segment: looseStruct({
    startIndex: Schema.Finite,
    endIndex: Schema.Finite,
    partIndex: Schema.Finite,
    text: Schema.String
  }),
  groundingChunkIndices: numbers,
  confidenceScores: numbers,
  renderedParts: numbers
}).annotate({ identifier: "AdkGroundingSupport" })
export type GroundingSupport = typeof GroundingSupport.Type

/** The searches, sources and segments of an answer. */
export const GroundingMetadata = looseStruct({
  webSearchQueries: strings,
  imageSearchQueries: strings,
  retrievalQueries: strings,
  groundingChunks: Schema.Array(GroundingChunk),
  groundingSupports: Schema.Array(GroundingSupport),
  searchEntryPoint: looseStruct({ renderedContent: Schema.String, sdkBlob: Schema.String }),
  retrievalMetadata: looseStruct({ googleSearchDynamicRetrievalScore: Schema.Finite }),
  googleMapsWidgetContextToken: Schema.String,
  sourceFlaggingUris: Schema.Array(looseStruct({ sourceId: Schema.String, flagContentUri: Schema.String }))
}).annotate({ identifier: "AdkGroundingMetadata" })
export type GroundingMetadata = typeof GroundingMetadata.Type

/** A quotation in an answer. */
export const Citation = looseStruct({
  startIndex: Schema.Finite,
  endIndex: Schema.Finite,
  uri: Schema.String,
  title: Schema.String,
  license: Schema.String,
  publicationDate: looseStruct({ year: Schema.Finite, month: Schema.Finite, day: Schema.Finite })
}).annotate({ identifier: "AdkCitation" })
export type Citation = typeof Citation.Type

/** The quotations in an answer. */
export const CitationMetadata = looseStruct({ citations: Schema.Array(Citation) }).annotate({
  identifier: "AdkCitationMetadata"
})
export type CitationMetadata = typeof CitationMetadata.Type
