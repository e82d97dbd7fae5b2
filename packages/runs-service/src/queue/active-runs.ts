import type { ServiceEnvironment } from '../environments/environments.ts';
import type { AbortReason } from '../execution/run-end.ts';

/** Runs elsewhere take only memory here. */
const maxElsewhere = 1_000;

type ActiveRun = {
  isElsewhere: boolean;
  abort: AbortController;
  /** Aborts when this process leaves a run that goes on elsewhere. */
  leave: AbortController;
  done: Promise<void>;
};

export const isElsewhere = ({ place = 'here' }: ServiceEnvironment) => place !== 'here';

/** The runs that this process executes, at most `concurrency`, and those that it follows elsewhere. */
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
    const count = [...this.#runs.values()].filter((run) => run.isElsewhere === elsewhere).length;
    return count < (elsewhere ? maxElsewhere : this.#concurrency);
  }

  add(id: string, elsewhere: boolean, work: (run: Omit<ActiveRun, 'done'>) => Promise<void>) {
    const run = {
      isElsewhere: elsewhere,
      abort: new AbortController(),
      leave: new AbortController(),
    };
    const done = work(run).finally(() => {
      this.#runs.delete(id);
      this.#onEnd();
    });
    this.#runs.set(id, { ...run, done });
  }

  /** Waits until this process has left a run that it's leaving. */
  async whenLeft(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run?.leave.signal.aborted) await run.done;
  }

  cancel(id: string): void {
    this.#runs.get(id)?.abort.abort('canceled' satisfies AbortReason);
  }

  /** A run that executes here ends with its process; one elsewhere goes on. */
  leave(id: string, reason: AbortReason): void {
    const run = this.#runs.get(id);
    if (run?.isElsewhere) run.leave.abort(reason);
    else run?.abort.abort(reason);
  }

  async leaveAll(reason: AbortReason): Promise<void> {
    const runs = this.entries();
    for (const [id] of runs) this.leave(id, reason);
    await Promise.all(runs.map(([, { done }]) => done));
  }
}
