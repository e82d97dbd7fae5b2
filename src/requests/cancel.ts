import { z } from 'zod';

/** The service's response to a cancel. */
export type CancelOutcome =
  | 'accepted'
  | 'already_ended'
  | 'not_cancelable'
  | 'not_offered'
  | 'forbidden'
  | 'rejected';

/** Problem code of a request that was canceled before it had a run. */
export const canceledBeforeStart = 'canceled_before_start';

/** A requested cancel and its result. Times are epoch milliseconds. */
export const requestCancelSchema = z.object({
  cancelAskedAt: z.number().nullable(),
  cancelAskedBy: z.string().nullable(),
  /** Service's response, or null before it responds. */
  cancelOutcome: z.custom<CancelOutcome | null>(),
});
export type RequestCancel = z.infer<typeof requestCancelSchema>;

/** Returns true while the service hasn't answered a requested cancel. */
export const isCancelPending = ({ cancelAskedAt, cancelOutcome }: RequestCancel): boolean =>
  cancelAskedAt !== null && cancelOutcome === null;

export const isCancelRejected = (outcome: CancelOutcome | null): boolean =>
  outcome !== null && outcome !== 'accepted';
