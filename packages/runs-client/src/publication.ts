import { z } from 'zod';

/** One odd detail doesn't make a run unreadable. */
const optionalText = z.string().nullish().catch(undefined);

/** Extension: what `POST /agent/runs/{id}/publish` takes. What's left out comes from the environment. */
export const publishRunRequestSchema = z.strictObject({
  mode: z.enum(['pull_request', 'branch']).optional(),
  title: z.string().trim().min(1).max(256).optional(),
  body: z.string().max(60_000).optional(),
  draft: z.boolean().optional(),
  reviewers: z.array(z.string().min(1).max(100)).max(15).optional(),
  base: z.string().min(1).max(250).optional(),
});
export type PublishRunRequest = z.infer<typeof publishRunRequestSchema>;

/**
 * Extension: whether the changes of a run left the service. `state` is `offered` (someone may publish them),
 * `publishing`, `published` or `failed`; `message` says why it takes long or failed, or what to know about the result.
 */
export const runPublicationSchema = z.looseObject({
  state: z.string(),
  mode: optionalText,
  branch: optionalText,
  base: optionalText,
  url: optionalText,
  message: optionalText,
});
export type RunPublication = z.infer<typeof runPublicationSchema>;
