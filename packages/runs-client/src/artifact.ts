import { z } from 'zod';
import { optional } from './optional.ts';

const text = optional(z.string());

/**
 * Schema of the response to `GET /agent/artifacts/{uid}`. A `PLAN` has `content`; `SCREENSHOT` and `FILE` have a
 * `download_url` that needs no key and works until `expires_at`.
 */
export const artifactSchema = z.looseObject({
  artifact_type: z.string(),
  artifact_uid: z.string(),
  created_at: text,
  data: z
    .looseObject({
      content: text,
      content_type: text,
      document_uid: text,
      title: text,
      url: text,
      download_url: text,
      /**
       * URL of the same file for people's browsers, because only the API caller can open `download_url`. An extension
       * of the API.
       */
      browser_url: text,
      expires_at: text,
      filename: text,
      filepath: text,
      description: text,
      size_bytes: optional(z.number()),
    })
    .catch({}),
});
export type Artifact = z.infer<typeof artifactSchema>;
