import { type DueAt, writeBeginning } from 'base/leased-work';
import { assertMove } from '../requests/steps.ts';
import type { FollowedRequest, RequestChanges } from '../store/requests/request-row.ts';
import type { FollowingParts } from './parts.ts';

/** A leased request: what is known of it, and how to change that durably. */
export type Tracked = {
  readonly request: FollowedRequest;
  /** Writes these changes and all notes. @throws LeaseLost */
  record(changes: RequestChanges): Promise<void>;
  /** Changes what is known. Written with the next `record`, or when the lease is released. */
  note(changes: RequestChanges): void;
  /** Records, right before a post or a create, that it begins. @throws LeaseLost, also if this process was frozen */
  begin(changes: RequestChanges): Promise<void>;
  /** Right before an effect that can't be undone. @throws LeaseLost */
  check(): Promise<void>;
  /** Noted and not written yet. */
  notes(): RequestChanges;
};

/** Works on a leased request. @returns when it's due again */
export type FollowStep = (
  parts: FollowingParts,
  tracked: Tracked,
  signal: AbortSignal,
) => Promise<DueAt>;

export function track(leases: FollowingParts['leases'], leased: FollowedRequest): Tracked {
  let notes: RequestChanges = {};
  let { lookAt: lookAtBefore } = leased;
  const written = (changes: RequestChanges): RequestChanges =>
    changes.lookAt === undefined ? changes : { ...changes, lookAtBefore };
  const check = () => leases.check(leased);
  function note(changes: RequestChanges): void {
    if (changes.step) assertMove(tracked.request.step, changes.step);
    notes = { ...notes, ...changes };
    tracked.request = { ...tracked.request, ...changes };
  }
  async function record(changes: RequestChanges): Promise<void> {
    if (changes.step) assertMove(tracked.request.step, changes.step);
    const unwritten = { ...notes, ...changes };
    if (Object.keys(unwritten).length === 0) return check();
    const asked = await leases.record(leased, written(unwritten));
    if (unwritten.lookAt !== undefined) lookAtBefore = unwritten.lookAt;
    tracked.request = { ...tracked.request, ...changes, ...asked };
    notes = {};
  }
  const begin = (changes: RequestChanges) => writeBeginning(() => record(changes), check);
  const tracked = {
    request: leased,
    notes: () => written(notes),
    note,
    record,
    begin,
    check,
  };
  return tracked;
}
