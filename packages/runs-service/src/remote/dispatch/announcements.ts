import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { AgentUsage } from '../../harnesses/steps/agent-step.ts';
import { activeStates, type Runs, type StoredRun } from '../../store/runs.ts';

/** An honest `run-one` announces every three seconds. Each change of a run is a row. */
const gapMs = 1_000;

type Options = { runs: Pick<Runs, 'change'>; stopping: AbortSignal; logger: Logger };

/** Lists runs as changed, each at most once a second, however often that is asked for. */
export function createAnnouncements({ runs, stopping, logger }: Options) {
  const waiting = new Map<string, { usage: AgentUsage | undefined }>();

  async function change(id: string, waitMs: number, next: { usage: AgentUsage | undefined }) {
    await sleep(waitMs, stopping);
    waiting.delete(id);
    const update = next.usage ? { usage_json: JSON.stringify(next.usage) } : {};
    try {
      await runs.change(id, activeStates, update);
    } catch (error) {
      // It only informs people, and the next one or the end does that too.
      logger.warn({ err: error, runId: id }, 'cannot save the progress of a run');
    }
  }

  return {
    announce({ id, updated_at: changedAt }: StoredRun, usage: AgentUsage | undefined): void {
      const before = waiting.get(id);
      if (before) {
        before.usage = usage ?? before.usage;
        return;
      }
      const next = { usage };
      waiting.set(id, next);
      const waitMs = Math.max(0, Math.min(gapMs, changedAt + gapMs - Date.now()));
      void change(id, waitMs, next);
    },
    /** What the whole run used is saved. What still waits would be less. */
    forgetUsage(id: string): void {
      const before = waiting.get(id);
      if (before) before.usage = undefined;
    },
  };
}
