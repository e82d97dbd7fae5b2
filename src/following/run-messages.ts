import type { RunRequest } from '../store/requests/request-row.ts';

export type MessagePlace = { channelId: string; ts: string };

/**
 * Where run messages are shown. The follower doesn't know what is behind it and only compares a `Message` with the one
 * shown before. Expected outcomes are values: `refused` won't work later either, `later` may, after `retryAfterMs`.
 */
export type RunMessages<Message extends object = object> = {
  render(request: RunRequest): Message;
  /** Epoch milliseconds by the clock that stamps messages. */
  nowMs(): number;
  /** 0 if a write may be made now, which is counted; else how many milliseconds to wait before asking again. */
  room(write: RoomFor): number;
  post(request: RunRequest, message: Message): Promise<PostOutcome>;
  /** Looks for the message that an interrupted `post` may have posted. */
  find(request: RunRequest): Promise<FindOutcome>;
  update(place: MessagePlace, message: Message): Promise<UpdateOutcome>;
  /** Finds other messages of the request, posted since a duplicate was suspected. */
  findDuplicates(request: RunRequest): Promise<DuplicatesOutcome>;
  /** Deletes a message of ours; `refused` when it's already gone, or can't be deleted. */
  remove(place: MessagePlace): Promise<{ outcome: 'removed' } | Refused | Later>;
};

export type RoomFor = {
  kind: 'post' | 'update';
  channelId: string;
  /** A request has one place in the line, however often it asks. */
  requestId: string;
  /** An end, which people wait for: it only waits for other ends. */
  isUrgent: boolean;
};

type Posted = { outcome: 'posted'; place: MessagePlace };
type Refused = { outcome: 'refused'; reason: string };
/** `retryAfterMs` is what Slack asked for; 0 if it didn't say. */
type Later = {
  outcome: 'later';
  reason: string;
  retryAfterMs: number;
  /** Certainly nothing was posted, so there is nothing to look for. */
  isUndone?: true | undefined;
  /** Logged at debug level: the operator can't act on it, or it was logged once for all that wait. */
  isQuiet?: true | undefined;
};
export type PostOutcome = Posted | Refused | Later;
export type DuplicatesOutcome =
  | {
      outcome: 'found';
      places: readonly MessagePlace[];
      /** All of them are in the thread of a message that was replaced. */
      isMisplaced?: boolean;
    }
  | Refused
  | Later;
export type FindOutcome = { outcome: 'absent' } | PostOutcome;
/** `gone`: the message can't be changed any more. Another is posted `here`, as a `direct` message, or not at all. */
export type UpdateOutcome =
  | { outcome: 'shown' }
  | { outcome: 'gone'; reason: string; pendingPost: RunRequest['pendingPost'] }
  | Refused
  | Later;
