import type { RunRequest } from '../store/request-row.ts';

export type MessagePlace = { channelId: string; ts: string };

/**
 * Where run messages are shown. Following is given this and never learns what is behind it; of a `Message` it only
 * looks whether it equals the one shown before.
 * Expected outcomes are values: `refused` will not work later either, `later` may (after `retryAfterMs`).
 */
export type RunMessages<Message extends object = object> = {
  render(request: RunRequest): Message;
  /** 0 when a write may be made now, and is counted then; else how many milliseconds to wait before asking again. */
  room(write: { kind: 'post' | 'update'; channelId: string; isUrgent: boolean }): number;
  post(request: RunRequest, message: Message): Promise<PostOutcome>;
  /** Looks for the message that an interrupted `post` may have left behind. */
  find(request: RunRequest): Promise<FindOutcome>;
  update(place: MessagePlace, message: Message): Promise<UpdateOutcome>;
  /** Takes away a second message of a request, where one stands beside this. */
  removeOther(request: RunRequest, place: MessagePlace): Promise<void>;
};

type Posted = { outcome: 'posted'; place: MessagePlace };
type Refused = { outcome: 'refused'; reason: string };
/** `retryAfterMs` is what the other side asked for; 0 when it did not say. */
type Later = {
  outcome: 'later';
  reason: string;
  retryAfterMs: number;
  /** Surely nothing was done, so that there is nothing to look for. */
  isUndone?: true | undefined;
};
export type PostOutcome = Posted | Refused | Later;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** `gone`: there is no such message any more. */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string }
  | Refused
  | Later;
