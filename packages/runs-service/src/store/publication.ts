import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';

const pullRequestSchema = z.object({
  number: z.number(),
  url: z.string(),
  state: z.enum(['open', 'draft', 'merged', 'closed']),
  title: z.string(),
  checks: z.enum(['passing', 'failing', 'pending']).optional(),
  review: z.enum(['approved', 'changes_requested', 'required']).optional(),
  /** Newest commit of the pull request's branch. */
  head: z.string().optional(),
  /** Reason that blocks a merge, if the Git host gives one. */
  obstacle: z.enum(['behind', 'conflicts', 'rules']).optional(),
});
/** Pull request or GitLab merge request, as of the last poll. */
export type PullRequest = z.infer<typeof pullRequestSchema>;

const wantedActionSchema = pullRequestActionSchema.extend({
  /** Commit that the person saw. Nothing newer is merged. */
  head: z.string(),
  askedAt: z.number(),
});
export type WantedAction = z.infer<typeof wantedActionSchema>;

/** ETag and content of the Git host's last response, by request. */
const seenSchema = z.record(z.string(), z.object({ etag: z.string(), value: z.unknown() }));
export type Seen = z.infer<typeof seenSchema>;

export const publicationSchema = z.object({
  id: z.string(),
  conversationId: z.string(),
  /** Run for which publishing was requested last. */
  runId: z.string(),
  wanted: publishRunRequestSchema,
  asked: z.number(),
  askedAt: z.number(),
  done: z.number(),
  /** Reason why the last publish request failed or is delayed. */
  problem: z.string().nullable(),
  branch: z.string(),
  base: z.string().nullable(),
  /** Commit of the branch after our last push. Null before the first push. */
  tip: z.string().nullable(),
  /** Commits whose push got no response, so the branch may contain them. */
  tried: z.array(z.string()),
  pullRequest: pullRequestSchema.nullable(),
  /** Requested action on the pull request. Null if no action is pending. */
  action: wantedActionSchema.nullable(),
  /** The Git host's last responses about the pull request, and the time of its last change. */
  followed: z.object({ seen: seenSchema, changedAt: z.number() }).nullable(),
  /** Remark for people after a success, such as that the base moved. */
  remark: z.string().nullable(),
  createdAt: z.number(),
  publishedAt: z.number().nullable(),
  failures: z.number(),
  version: z.number(),
});
export type Publication = z.infer<typeof publicationSchema>;
export type PublicationChanges = Partial<Publication>;
