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
  /** Deletes a message of ours; `refused` when it's already gone, or can't be deleted. */
  remove(place: PostPlace): Promise<RemoveOutcome>;
  /** Returns epoch milliseconds by the clock that stamps messages. */
  nowMs(): number;
  /** Called when a request is due: its message is posted, or it doesn't have to wait for it. */
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
