import { type Lease, writeBeginning } from 'base/leased-work';
import type { Logger } from 'base/logger';
import type { OutboxLeases } from '../store/outbox/outbox-leases.ts';
import type { Post, PostChanges, PostPlace } from '../store/outbox/outbox-row.ts';
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

type WritePost = (lease: Lease, changes: PostChanges) => Promise<void>;

/** A leased post, and the ways to change it durably. */
export type TrackedPost = {
  readonly post: Post;
  /** Writes these changes and all notes, alone or with what `write` adds to the transaction. @throws LeaseLost */
  record(changes: PostChanges, write?: WritePost): Promise<void>;
  /** Changes the post in memory. Written with the next `record`, or when the lease is released. */
  note(changes: PostChanges): void;
  /** Records, right before a post, that it begins. @throws LeaseLost, also if this process was frozen */
  begin(changes: PostChanges): Promise<void>;
  /** Call this right before an effect that can't be undone. @throws LeaseLost */
  check(): Promise<void>;
  /** Returns the notes that aren't written yet. */
  notes(): PostChanges;
};

export function trackPost(
  leases: Pick<OutboxLeases, 'record' | 'check'>,
  leased: Post,
): TrackedPost {
  let notes: PostChanges = {};
  const check = () => leases.check(leased);
  const apply = ({ duplicatesChecked, shownAgain, ...changes }: PostChanges) => {
    tracked.post = { ...tracked.post, ...changes };
  };
  function note(changes: PostChanges): void {
    notes = { ...notes, ...changes };
    apply(changes);
  }
  async function record(changes: PostChanges, write: WritePost = leases.record): Promise<void> {
    await write(leased, { ...notes, ...changes });
    apply(changes);
    notes = {};
  }
  const begin = (changes: PostChanges) => writeBeginning(() => record(changes), check);
  const tracked = {
    post: leased,
    notes: () => notes,
    note,
    record,
    begin,
    check,
  };
  return tracked;
}
