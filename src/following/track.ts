import type { RequestChanges, RunRequest } from '../store/request-row.ts';
import { assertMove } from '../store/request-steps.ts';
import type { FollowingParts } from './parts.ts';

/** One leased request under work: what is known of it, and how to change that durably. */
export type Tracked = {
  readonly request: RunRequest;
  /** Writes these changes and all notes. @throws LeaseLost when the request is somebody else's by now */
  record(changes: RequestChanges): Promise<void>;
  /** Changes what is known; written with the next `record`, or when the request is given back. */
  note(changes: RequestChanges): void;
  /** Records, right before a post or a create, that it begins. @throws LeaseLost also when this process slept meanwhile */
  begin(changes: RequestChanges): Promise<void>;
  /** Right before an effect that cannot be taken back. @throws LeaseLost likewise */
  check(): Promise<void>;
  /** What was noted and is not written yet. */
  readonly notes: RequestChanges;
};

/** Much less than a lease lasts: younger word that it is ours needs no asking. */
const freshMs = 1_000;

export function track(leases: FollowingParts['leases'], leased: RunRequest): Tracked {
  let request = leased;
  let notes: RequestChanges = {};
  const check = () => leases.check(leased);
  function note(changes: RequestChanges): void {
    if (changes.step) assertMove(request.step, changes.step);
    notes = { ...notes, ...changes };
    request = { ...request, ...changes };
  }
  async function record(changes: RequestChanges): Promise<void> {
    if (changes.step) assertMove(request.step, changes.step);
    const unwritten = { ...notes, ...changes };
    if (Object.keys(unwritten).length === 0) return check();
    const asked = await leases.record(leased, unwritten);
    request = { ...request, ...changes, ...asked };
    notes = {};
  }
  async function begin(changes: RequestChanges): Promise<void> {
    const beganAt = Date.now();
    await record(changes);
    // The answer may have lain there for as long as this process was frozen.
    if (Date.now() - beganAt > freshMs) await check();
  }
  return {
    get request() {
      return request;
    },
    get notes() {
      return notes;
    },
    note,
    record,
    begin,
    check,
  };
}
