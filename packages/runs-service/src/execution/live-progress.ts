import { sleep } from 'base/sleep';
import type { AgentProgress } from 'runs-client/contract';
import { createRunProgress, type RunProgress } from '../harnesses/run-progress.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import { plainText } from './output/last-lines.ts';
import { createRedactor } from './output/redactor.ts';

const saveMs = 500;
/** Followers of the API see that a run changed. Slack shows no more. */
const announceMs = 3_000;

export type ProgressTools = {
  saveProgress: (runId: string, progress: AgentProgress) => Promise<void>;
  /** Lists the run as changed. */
  announceProgress: (runId: string, usage: AgentUsage | undefined) => Promise<void>;
};

export type LiveProgress = RunProgress & {
  /** Saves soon what has changed. */
  changed(): void;
  /** Saves the rest. Nothing is saved later. */
  close(): Promise<void>;
};

/** The progress of a run, saved while it changes. */
export function createLiveProgress(
  runId: string,
  hidden: readonly string[],
  { saveProgress, announceProgress }: ProgressTools,
): LiveProgress {
  const progress = createRunProgress({ clean: (text) => clean(text, hidden) });
  const saving = createThrottle(() => saveProgress(runId, progress.read()), saveMs);
  const announcing = createThrottle(() => announceProgress(runId, progress.usage()), announceMs);
  let announced = '';
  return {
    ...progress,
    changed() {
      saving.ask();
      const headline = JSON.stringify(progress.headline());
      if (headline !== announced) announcing.ask();
      announced = headline;
    },
    async close() {
      await Promise.all([saving.end(), announcing.end()]);
      await saveProgress(runId, progress.read());
    },
  };
}

/** A text of an agent, safe to show: without secrets and commands to a terminal. */
export function clean(text: string, hidden: readonly string[]): string {
  const redactor = createRedactor(hidden);
  const shown = Buffer.concat([redactor.push(Buffer.from(text)), redactor.flush()]);
  return plainText(shown.toString('utf8'));
}

/** Does work soon after it was asked for, but not more often than every `gapMs`, and never twice at once. */
export function createThrottle(work: () => Promise<void>, gapMs: number) {
  const ended = new AbortController();
  let isAsked = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isAsked && !ended.signal.aborted) {
      isAsked = false;
      await work();
      await sleep(gapMs, ended.signal);
    }
    running = undefined;
  }

  return {
    ask(): void {
      isAsked = true;
      if (!ended.signal.aborted) running ??= run();
    },
    /** Nothing runs once this has resolved. */
    async end(): Promise<void> {
      ended.abort();
      await running;
    },
  };
}
