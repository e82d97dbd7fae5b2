import type { Logger } from 'base/logger';
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { Store } from '../store/store.ts';
import type { RemoveOutcome } from './outcomes.ts';
import type { PostKind, StatusKind } from './post-kind.ts';

/** Dependencies of the work on one workspace's posts. */
export type OutboxDeps = {
  store: Pick<OutboxStore, 'messages'> & {
    leases: Pick<OutboxStore['leases'], 'record' | 'check' | 'suspectDuplicate'>;
    outbox: Pick<OutboxStore['outbox'], 'planUnder' | 'ofRequest'>;
  };
  kinds: Readonly<Record<string, PostKind | StatusKind>>;
  /** Deletes a message of the app. Returns `rejected` if it's already deleted or can't be deleted. */
  remove(place: PostPlace): Promise<RemoveOutcome>;
  /** Returns the time in epoch ms, by the clock that stamps Slack messages. */
  nowMs(): number;
  /** Called when a request can continue, because its message was posted or the run may start before it. */
  wakeFollower(): void;
  reports?: OutboxReports | undefined;
  logger: Logger;
};

export type OutboxStore = Store['posting'];

export type OutboxReports = {
  /** Called when a post is in Slack. `ms` is the time since it was planned. */
  onPosted?(posted: { kind: string; ms: number }): void;
  /** Called when a message shows the newest known state of its request. */
  onShown?(requestId: string): void;
};
