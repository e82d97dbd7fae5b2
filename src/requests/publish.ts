import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';

/** A requested action on the changes of a run. */
const publishWantedSchema = z.object({
  action: z.enum(['publish', ...pullRequestActionSchema.shape.action.options]),
  /** Only with `publish`. */
  request: publishRunRequestSchema.optional(),
});
export type PublishWanted = z.infer<typeof publishWantedSchema>;

/**
 * Result of the request. `accepted`: the service accepted it. `seen`: the run was read since then and shows the result.
 */
type PublishOutcome = 'accepted' | 'seen' | 'refused' | 'not_offered';

/** A requested publication and its result. Times are epoch milliseconds. */
export const requestPublishSchema = z.object({
  publishAskedAt: z.number().nullable(),
  publishAskedBy: z.string().nullable(),
  publishWanted: publishWantedSchema.nullable(),
  /** Null until the service has answered. */
  publishOutcome: z.custom<PublishOutcome | null>(),
  /** Why it was refused, for people, without secrets. */
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

/** Also while it isn't known what the service made of it. Nobody can ask for something else then. */
export const isPublishing = (request: RequestPublish): boolean =>
  isPublishPending(request) || request.publishOutcome === 'accepted';

/** Slack repeats a click within seconds. */
const repeatedWithinMs = 10_000;

/** Returns true if a person has just requested the same, and it wasn't refused: a repeated delivery, or a double click. */
export const isRepeat = (
  { publishAskedAt, publishAskedBy, publishWanted, publishOutcome }: RequestPublish,
  { userId, wanted, now }: { userId: string; wanted: PublishWanted; now: number },
): boolean =>
  publishAskedAt !== null &&
  now - publishAskedAt < repeatedWithinMs &&
  publishAskedBy === userId &&
  JSON.stringify(publishWanted) === JSON.stringify(wanted) &&
  publishOutcome !== 'refused' &&
  publishOutcome !== 'not_offered';
