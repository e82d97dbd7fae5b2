import type { Selectable } from 'kysely';
import type { RequestsTable } from '../schema.ts';

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
export type RequestCancel = {
  cancelAskedAt: number | null;
  cancelAskedBy: string | null;
  /** When to ask the service again. */
  cancelRetryAt: number | null;
  /** Null until the service has answered. */
  cancelOutcome: CancelOutcome | null;
};

/** What a click writes while the follower holds the request. */
export const cancelColumns = [
  'cancel_asked_at',
  'cancel_asked_by',
  'cancel_retry_at',
  'cancel_outcome',
] as const satisfies (keyof RequestsTable)[];

type CancelRow = Pick<Selectable<RequestsTable>, (typeof cancelColumns)[number]>;

export const readCancel = (row: CancelRow): RequestCancel => ({
  cancelAskedAt: row.cancel_asked_at,
  cancelAskedBy: row.cancel_asked_by,
  cancelRetryAt: row.cancel_retry_at,
  cancelOutcome: row.cancel_outcome as CancelOutcome | null,
});

/** Whether someone asked for a cancel that hasn't been carried out yet. */
export const isCancelPending = ({ cancelAskedAt, cancelOutcome }: RequestCancel): boolean =>
  cancelAskedAt !== null && cancelOutcome === null;

export const isCancelRefused = (outcome: CancelOutcome | null): boolean =>
  outcome !== null && outcome !== 'accepted';
