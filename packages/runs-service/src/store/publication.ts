import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';

const pullRequestSchema = z.object({
  number: z.number(),
  url: z.string(),
  state: z.enum(['open', 'draft', 'merged', 'closed']),
  title: z.string(),
  checks: z.enum(['passing', 'failing', 'pending']).optional(),
  review: z.enum(['approved', 'changes_requested', 'required']).optional(),
  /** The newest commit of its branch. */
  head: z.string().optional(),
  /** Reason why the host wouldn't merge it, if it gives one. */
  obstacle: z.enum(['behind', 'conflicts', 'rules']).optional(),
});
/** A pull request, or GitLab's merge request, as it was when we last looked. */
export type PullRequest = z.infer<typeof pullRequestSchema>;

const wantedActionSchema = pullRequestActionSchema.extend({
  /** The commit that the person saw: nothing newer is merged. */
  head: z.string(),
  askedAt: z.number(),
});
export type WantedAction = z.infer<typeof wantedActionSchema>;

/** ETag and content of the last answer, by request. */
const seenSchema = z.record(z.string(), z.object({ etag: z.string(), value: z.unknown() }));
export type Seen = z.infer<typeof seenSchema>;

export const publicationSchema = z.object({
  id: z.string(),
  conversationId: z.string(),
  /** The run whose changes were requested last, and the request. */
  runId: z.string(),
  wanted: publishRunRequestSchema,
  asked: z.number(),
  askedAt: z.number(),
  done: z.number(),
  /** Reason why the last request failed, or still waits. */
  problem: z.string().nullable(),
  branch: z.string(),
  base: z.string().nullable(),
  /** The commit that the branch had after our last push; null before the first. */
  tip: z.string().nullable(),
  /** Commits that a push may have delivered, although no answer came. */
  tried: z.array(z.string()),
  pullRequest: pullRequestSchema.nullable(),
  /** The requested action on the pull request; null once it's done. */
  action: wantedActionSchema.nullable(),
  /** The host's last answers about the pull request, and the time of the last change. */
  followed: z.object({ seen: seenSchema, changedAt: z.number() }).nullable(),
  /** Note to people about a success, such as a base that moved. */
  remark: z.string().nullable(),
  createdAt: z.number(),
  publishedAt: z.number().nullable(),
  failures: z.number(),
  version: z.number(),
});
export type Publication = z.infer<typeof publicationSchema>;
export type PublicationChanges = Partial<Publication>;
