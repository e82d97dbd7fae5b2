import type { ServiceEnvironment } from '../environments/environments.ts';
import type { AbortReason } from '../execution/run-end.ts';
import type { RunGroup } from '../store/queued-runs.ts';

/** Max remote runs. The number is high, because this process only follows them, which needs little but memory. */
const maxRemote = 1_000;

type ActiveRun = {
  isRemote: boolean;
  abort: AbortController;
  /** Aborts when this process stops following a remote run, which continues. */
  leave: AbortController;
  done: Promise<void>;
};

export const isRemote = ({ runner = 'local' }: ServiceEnvironment) => runner !== 'local';

/** Runs that this process executes, at most `concurrency`, and remote runs that it follows. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #concurrency: number;
  readonly #onEnd: () => void;

  constructor(concurrency: number, onEnd: () => void) {
    this.#concurrency = concurrency;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#runs.size;
  }

  has = (id: string): boolean => this.#runs.has(id);
  entries = () => [...this.#runs];

  hasRoom(elsewhere: boolean): boolean {
    const count = [...this.#runs.values()].filter((run) => run.isRemote === elsewhere).length;
    return count < (elsewhere ? maxRemote : this.#concurrency);
  }

  add(id: string, elsewhere: boolean, work: (run: Omit<ActiveRun, 'done'>) => Promise<void>) {
    const run = {
      isRemote: elsewhere,
      abort: new AbortController(),
      leave: new AbortController(),
    };
    const done = work(run).finally(() => {
      this.#runs.delete(id);
      this.#onEnd();
    });
    this.#runs.set(id, { ...run, done });
  }

  /** Waits until this process has left a run. Returns immediately if it isn't leaving the run. */
  async whenLeft(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run?.leave.signal.aborted) await run.done;
  }

  cancel(id: string): void {
    this.#runs.get(id)?.abort.abort('canceled' satisfies AbortReason);
  }

  /** Stops executing or following a run. A local run ends, but a remote run continues. */
  leave(id: string, reason: AbortReason): void {
    const run = this.#runs.get(id);
    if (run?.isRemote) run.leave.abort(reason);
    else run?.abort.abort(reason);
  }

  async leaveAll(reason: AbortReason): Promise<void> {
    const runs = this.entries();
    for (const [id] of runs) this.leave(id, reason);
    await Promise.all(runs.map(([, { done }]) => done));
  }
}

/**
 * Chooses the group of queued runs to take the next run from. Only environments with capacity are considered. The
 * creator with the fewest active runs comes first, so that one person's fifty runs don't block everyone else. Then the
 * group with the oldest run comes first.
 */
export function chooseNext(
  queued: readonly RunGroup[],
  active: readonly RunGroup[],
  capacityOf: (environmentId: string) => number,
): RunGroup | undefined {
  const count = (key: 'creatorUid' | 'environmentId', value: string) =>
    active.reduce((sum, group) => (group[key] === value ? sum + group.count : sum), 0);
  const startable = queued.filter(
    ({ environmentId }) => count('environmentId', environmentId) < capacityOf(environmentId),
  );
  return startable.sort(
    (a, b) =>
      count('creatorUid', a.creatorUid) - count('creatorUid', b.creatorUid) ||
      a.oldestCreatedAt - b.oldestCreatedAt,
  )[0];
}
