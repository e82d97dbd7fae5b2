import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';

/** What someone wants done with what a run changed. */
const publishWantedSchema = z.object({
  action: z.enum(['publish', ...pullRequestActionSchema.shape.action.options]),
  /** For `publish`. */
  request: publishRunRequestSchema.optional(),
});
export type PublishWanted = z.infer<typeof publishWantedSchema>;

/**
 * What came of it. `accepted`: the service took it. `seen`: the run was read since then, so what it says counts.
 */
type PublishOutcome = 'accepted' | 'seen' | 'refused' | 'not_offered';

/** Who asked for what, and how that went. Times are epoch milliseconds. */
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

/** Whether someone asked for something that the service hasn't been told yet. */
export const isPublishPending = ({ publishAskedAt, publishOutcome }: RequestPublish): boolean =>
  publishAskedAt !== null && publishOutcome === null;

/** Also while it isn't known what the service made of it. Nobody can ask for something else then. */
export const isPublishing = (request: RequestPublish): boolean =>
  isPublishPending(request) || request.publishOutcome === 'accepted';

/** Slack repeats a click within seconds. */
const repeatedWithinMs = 10_000;

/** Whether a person has just asked for this, and it wasn't refused: a repeated delivery, or a double click. */
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
