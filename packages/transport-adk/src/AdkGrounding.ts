/**
 * Where an answer comes from: searches, maps, documents, citations (ADK-04). They change with the models, so everything is
 * optional and unknown members are kept.
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
import { numbers, open, strings } from "./internal/open.ts"

const ReviewSnippet = open({
  authorAttribution: open({ displayName: Schema.String, photoUri: Schema.String, uri: Schema.String }),
  flagContentUri: Schema.String,
  googleMapsUri: Schema.String,
  relativePublishTimeDescription: Schema.String,
  review: Schema.String,
  reviewId: Schema.String,
  title: Schema.String
})

/** One source; which member is there says of what kind. */
export const GroundingChunk = open({
  web: open({ uri: Schema.String, title: Schema.String, domain: Schema.String }),
  image: open({ sourceUri: Schema.String, imageUri: Schema.String, title: Schema.String, domain: Schema.String }),
  maps: open({
    placeId: Schema.String,
    text: Schema.String,
    title: Schema.String,
    uri: Schema.String,
    route: open({ distanceMeters: Schema.Finite, duration: Schema.String, encodedPolyline: Schema.String }),
    placeAnswerSources: open({
      flagContentUri: Schema.String,
      reviewSnippet: Schema.Array(ReviewSnippet),
      reviewSnippets: Schema.Array(ReviewSnippet)
    })
  }),
  retrievedContext: open({
    documentName: Schema.String,
    text: Schema.String,
    title: Schema.String,
    uri: Schema.String,
    ragChunk: open({
      pageSpan: open({ firstPage: Schema.Finite, lastPage: Schema.Finite }),
      text: Schema.String,
      chunkId: Schema.String,
      fileId: Schema.String
    }),
    customMetadata: Schema.Array(open({
      key: Schema.String,
      numericValue: Schema.Finite,
      stringValue: Schema.String,
      stringListValue: open({ values: strings })
    })),
    fileSearchStore: Schema.String,
    pageNumber: Schema.Finite,
    mediaId: Schema.String
  })
})
export type GroundingChunk = typeof GroundingChunk.Type

/** Which piece of the answer stands on which chunks. */
export const GroundingSupport = open({
  segment: open({ startIndex: Schema.Finite, endIndex: Schema.Finite, partIndex: Schema.Finite, text: Schema.String }),
  groundingChunkIndices: numbers,
  confidenceScores: numbers,
  renderedParts: numbers
})
export type GroundingSupport = typeof GroundingSupport.Type

export const GroundingMetadata = open({
  webSearchQueries: strings,
  imageSearchQueries: strings,
  retrievalQueries: strings,
  groundingChunks: Schema.Array(GroundingChunk),
  groundingSupports: Schema.Array(GroundingSupport),
  searchEntryPoint: open({ renderedContent: Schema.String, sdkBlob: Schema.String }),
  retrievalMetadata: open({ googleSearchDynamicRetrievalScore: Schema.Finite }),
  googleMapsWidgetContextToken: Schema.String,
  sourceFlaggingUris: Schema.Array(open({ sourceId: Schema.String, flagContentUri: Schema.String }))
})
export type GroundingMetadata = typeof GroundingMetadata.Type

export const Citation = open({
  startIndex: Schema.Finite,
  endIndex: Schema.Finite,
  uri: Schema.String,
  title: Schema.String,
  license: Schema.String,
  publicationDate: open({ year: Schema.Finite, month: Schema.Finite, day: Schema.Finite })
})
export type Citation = typeof Citation.Type

export const CitationMetadata = open({ citations: Schema.Array(Citation) })
export type CitationMetadata = typeof CitationMetadata.Type
