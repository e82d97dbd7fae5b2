import type { RunRequest } from '../store/request-row.ts';

export type MessagePlace = { channelId: string; ts: string };

/**
 * Where run messages are shown. Following is given this and never learns what is behind it; of a `Message` it only
 * looks whether it equals the one shown before.
 * Expected outcomes are values: `refused` will not work later either, `later` may (after `retryAfterMs`).
 */
export type RunMessages<Message extends object = object> = {
  render(request: RunRequest): Message;
  /** Epoch milliseconds by the clock that stamps messages. */
  nowMs(): number;
  /** 0 when a write may be made now, and is counted then; else how many milliseconds to wait before asking again. */
  room(write: RoomFor): number;
  post(request: RunRequest, message: Message): Promise<PostOutcome>;
  /** Looks for the message that an interrupted `post` may have left behind. */
  find(request: RunRequest): Promise<FindOutcome>;
  update(place: MessagePlace, message: Message): Promise<UpdateOutcome>;
  /** Looks for messages of the request, written since it was doubted, beside the one that it has. */
  findDoubles(request: RunRequest): Promise<DoublesOutcome>;
  /** Takes away a message of ours; `refused` when it is gone already, or must stay. */
  remove(place: MessagePlace): Promise<{ outcome: 'removed' } | Refused | Later>;
};

export type RoomFor = {
  kind: 'post' | 'update';
  channelId: string;
  /** It has one place among those that wait, however often it asks. */
  requestId: string;
  /** People wait for the end of a run: it waits for other ends only. */
  isUrgent: boolean;
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
  /** Nothing for the operator to act on, or logged once for all that wait: each one is logged at debug. */
  isQuiet?: true | undefined;
};
export type PostOutcome = Posted | Refused | Later;
export type DoublesOutcome =
  | {
      outcome: 'found';
      places: readonly MessagePlace[];
      /** None is where it belongs: all of them hang below a message that was given up. */
      isMisplaced?: boolean;
    }
  | Refused
  | Later;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** `gone`: the message is gone or can be changed no more. Another is to stand `here`, `direct`ly, or nowhere. */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string; postAnew: RunRequest['postAnew'] }
  | Refused
  | Later;
