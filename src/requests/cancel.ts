import { z } from 'zod';

/** What the service said to a cancel: it took it, or why it won't. */
export type CancelOutcome =
  | 'accepted'
  | 'already_ended'
  | 'not_cancelable'
  | 'not_offered'
  | 'forbidden'
  | 'refused';

/** A request of this problem ended without a run, because it was canceled first. */
export const canceledBeforeStart = 'canceled_before_start';

/** Who asked to cancel the run, and how that went. Times are epoch milliseconds. */
export const requestCancelSchema = z.object({
  cancelAskedAt: z.number().nullable(),
  cancelAskedBy: z.string().nullable(),
  /** Null until the service has answered. */
  cancelOutcome: z.custom<CancelOutcome | null>(),
});
export type RequestCancel = z.infer<typeof requestCancelSchema>;

/** Whether someone asked for a cancel that hasn't been carried out yet. */
export const isCancelPending = ({ cancelAskedAt, cancelOutcome }: RequestCancel): boolean =>
  cancelAskedAt !== null && cancelOutcome === null;

export const isCancelRefused = (outcome: CancelOutcome | null): boolean =>
  outcome !== null && outcome !== 'accepted';
