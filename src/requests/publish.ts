import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';

/** A requested action on the changes of a run. */
const publishWantedSchema = z.object({
  action: z.enum(['publish', ...pullRequestActionSchema.shape.action.options]),
  /** Options of the `publish` action; other actions have none. */
  request: publishRunRequestSchema.optional(),
});
export type PublishWanted = z.infer<typeof publishWantedSchema>;

/**
 * Result of the request. `accepted`: the service accepted it. `seen`: the run was read since then and shows the result.
 */
type PublishOutcome = 'accepted' | 'seen' | 'rejected' | 'not_offered';

/** A requested publication and its result. Times are epoch milliseconds. */
export const requestPublishSchema = z.object({
  publishAskedAt: z.number().nullable(),
  publishAskedBy: z.string().nullable(),
  publishWanted: publishWantedSchema.nullable(),
  /** Service's response, or null before it responds. */
  publishOutcome: z.custom<PublishOutcome | null>(),
  /** Reason of the rejection for people, without secrets. */
  publishProblem: z.string().nullable(),
});
export type RequestPublish = z.infer<typeof requestPublishSchema>;

export const nothingToPublish: RequestPublish = {
  publishAskedAt: null,
  publishAskedBy: null,
  publishWanted: null,
  publishOutcome: null,
  publishProblem: null,
};

/** Returns true while the service hasn't answered a requested publication. */
export const isPublishPending = ({ publishAskedAt, publishOutcome }: RequestPublish): boolean =>
  publishAskedAt !== null && publishOutcome === null;

/**
 * Returns true until the result is visible, even if the service already accepted the request. Until then, no other
 * publish action is offered.
 */
export const isPublishing = (request: RequestPublish): boolean =>
  isPublishPending(request) || request.publishOutcome === 'accepted';

/** Time within which a second click on the same button is ignored, in ms. */
const repeatedWithinMs = 10_000;

/**
 * Returns true for a repeated delivery or a double click. The person has just requested the same action, and it wasn't
 * rejected.
 */
export const isRepeat = (
  { publishAskedAt, publishAskedBy, publishWanted, publishOutcome }: RequestPublish,
  { userId, wanted, now }: { userId: string; wanted: PublishWanted; now: number },
): boolean =>
  publishAskedAt !== null &&
  now - publishAskedAt < repeatedWithinMs &&
  publishAskedBy === userId &&
  JSON.stringify(publishWanted) === JSON.stringify(wanted) &&
  publishOutcome !== 'rejected' &&
  publishOutcome !== 'not_offered';
