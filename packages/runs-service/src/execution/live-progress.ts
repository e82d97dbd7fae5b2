import { sleep } from 'base/sleep';
import { createRunProgress, type RunProgress } from '../harnesses/run-progress.ts';
import { plainText } from './output/last-lines.ts';
import { createRedactor } from './output/redactor.ts';
import type { RunStore } from './run-store.ts';

const saveMs = 500;
/**
 * Min time between two announcements of progress, in ms. It's longer than `saveMs`, because API clients poll the run
 * after each announcement.
 */
const announceMs = 3_000;

export type LiveProgress = RunProgress & {
  /** Saves the progress soon. Called after each change. */
  changed(): void;
  /** Saves the latest progress. Nothing is saved after this resolves. */
  close(): Promise<void>;
};

/** Creates an object that collects the progress of a run, and saves it when it changes. */
export function createLiveProgress(
  runId: string,
  hidden: readonly string[],
  store: Pick<RunStore, 'saveProgress' | 'announceProgress'>,
): LiveProgress {
  const progress = createRunProgress({ clean: (text) => clean(text, hidden) });
  const saving = createThrottle(() => store.saveProgress(runId, progress.read()), saveMs);
  const announcing = createThrottle(
    () => store.announceProgress(runId, progress.usage()),
    announceMs,
  );
  let announced = '';
  return {
    ...progress,
    changed() {
      saving.request();
      const headline = JSON.stringify(progress.headline());
      if (headline !== announced) announcing.request();
      announced = headline;
    },
    async close() {
      await Promise.all([saving.end(), announcing.end()]);
      await store.saveProgress(runId, progress.read());
    },
  };
}

/** Removes secrets and terminal commands from an agent's text, so that it's safe to show. */
export function clean(text: string, hidden: readonly string[]): string {
  const redactor = createRedactor(hidden);
  const shown = Buffer.concat([redactor.push(Buffer.from(text)), redactor.flush()]);
  return plainText(shown.toString('utf8'));
}

/**
 * Creates a throttle that runs the work soon after a request. It runs at most once per `gapMs`, and never twice at the
 * same time.
 */
function createThrottle(work: () => Promise<void>, gapMs: number) {
  const ended = new AbortController();
  let isRequested = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isRequested && !ended.signal.aborted) {
      isRequested = false;
      await work();
      await sleep(gapMs, ended.signal);
    }
    running = undefined;
  }

  return {
    request(): void {
      isRequested = true;
      if (!ended.signal.aborted) running ??= run();
    },
    /** Stops the throttle. When this resolves, `work` isn't running and won't run again. */
    async end(): Promise<void> {
      ended.abort();
      await running;
    },
  };
}
