import { type Lease, writeBeginning } from 'base/leased-work';
import type { OutboxLeases } from '../store/outbox/outbox-leases.ts';
import type { Post, PostChanges } from '../store/outbox/outbox-row.ts';

type WritePost = (lease: Lease, changes: PostChanges) => Promise<void>;

/** A leased post, with functions that change it durably. */
export type TrackedPost = {
  readonly post: Post;
  /**
   * Writes these changes and all changes from `note`, in one transaction with the changes that `write` makes.
   * @throws LeaseLost
   */
  record(changes: PostChanges, write?: WritePost): Promise<void>;
  /** Changes the post in memory. Written with the next `record`, or when the lease is released. */
  note(changes: PostChanges): void;
  /**
   * Records that a post begins. Call this right before posting.
   * @throws LeaseLost, also if this process was frozen
   */
  begin(changes: PostChanges): Promise<void>;
  /** Call this right before an effect that can't be undone. @throws LeaseLost */
  check(): Promise<void>;
  /** Returns the changes from `note` that aren't written yet. */
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
