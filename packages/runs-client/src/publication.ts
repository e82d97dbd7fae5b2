import { z } from 'zod';

/**
 * Schema of an optional text. An invalid value becomes undefined, so that one odd detail doesn't make a run unreadable.
 */
const optionalText = z.string().nullish().catch(undefined);

/** Schema of the body of `POST /agent/runs/{id}/publish`, an extension. Omitted fields come from the environment. */
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
 * Schema of the publication of a run's changes, an extension. `state` is `offered` (people can publish them),
 * `publishing`, `published` or `failed`. `message` explains a delay, a failure or the result.
 */
export const runPublicationSchema = z.looseObject({
  state: z.string(),
  mode: optionalText,
  branch: optionalText,
  base: optionalText,
  url: optionalText,
  message: optionalText,
  /** Actions that people can currently send to `POST /agent/runs/{id}/pull-request`. */
  actions: z.array(z.string()).nullish().catch(undefined),
});
export type RunPublication = z.infer<typeof runPublicationSchema>;

/** Schema of the body of `POST /agent/runs/{id}/pull-request`, an extension. Each action can be repeated. */
export const pullRequestActionSchema = z.strictObject({
  action: z.enum(['update_branch', 'mark_ready', 'merge']),
});
export type PullRequestAction = z.infer<typeof pullRequestActionSchema>['action'];

/**
 * Schema of a `PULL_REQUEST` artifact's `data`. Members after `branch` are extensions, as of the service's last check.
 */
export const pullRequestDataSchema = z.looseObject({
  url: optionalText,
  branch: optionalText,
  number: z.number().nullish().catch(undefined),
  title: optionalText,
  /** State of the pull request: `open`, `draft`, `merged` or `closed`. */
  state: optionalText,
  /** Result of the checks: `passing`, `failing` or `pending`. */
  checks: optionalText,
  /** State of the review: `approved`, `changes_requested` or `required`. */
  review: optionalText,
  base: optionalText,
  commit: optionalText,
});
export type PullRequestData = z.infer<typeof pullRequestDataSchema>;
