import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { runnerOf, type ServiceEnvironment } from '../environments/environments.ts';
import { type AgentUsage, usageText } from '../harnesses/steps/agent-step.ts';
import type { ModelCalls } from '../store/model-calls.ts';
import type { ReportedUsages } from '../store/reported-usage.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import type { RunUsage } from '../store/run-usage.ts';
import { allStates, type Runs, type StoredRun } from '../store/runs.ts';
import { capsOfRun } from './caps/caps-of-run.ts';

/** Min time between two changes of a run's usage while it's in progress, in ms. API clients poll after each. */
const announceMs = 3_000;
/** A program's own cost is mentioned if it differs by more than this share, and by more than a cent. */
const notableShare = 0.05;
const notableUsd = 0.01;

export type RunUsages = ReturnType<typeof createRunUsages>;

/**
 * Creates the functions that keep the usage of runs up to date. The model gateway's calls are the source. Programs that
 * don't use the gateway report their usage themselves.
 */
export function createRunUsages({
  runs,
  calls,
  reported,
  environments,
  logger,
}: {
  runs: Pick<Runs, 'get' | 'change'>;
  calls: Pick<ModelCalls, 'usageOfRun'>;
  reported: ReportedUsages;
  environments: () => readonly ServiceEnvironment[];
  logger: Logger;
}) {
  const stopping = new AbortController();
  const waiting = new Map<string, Promise<void>>();
  const environmentOf = (run: StoredRun) =>
    environments().find(({ id }) => id === run.environment_id);

  const countedUsage = (run: StoredRun, environment: ServiceEnvironment) =>
    calls.usageOfRun(run.id, capsOfRun(run, environment).caps);

  const updateOf = (usage: RunUsage) => ({ usage_json: JSON.stringify(usage) });

  async function save(runId: string): Promise<void> {
    const run = await runs.get(runId);
    const environment = run && environmentOf(run);
    if (!run || !environment) return;
    const update = updateOf(await countedUsage(run, environment));
    if (update.usage_json !== run.usage_json) await runs.change(runId, allStates, update);
  }

  async function saveSoon(runId: string): Promise<void> {
    await sleep(announceMs, stopping.signal);
    waiting.delete(runId);
    try {
      await save(runId);
    } catch (error) {
      // The next call or the run's end saves it again.
      logger.warn({ err: error, runId }, 'cannot save the usage of a run');
    }
  }

  async function countReported(
    run: StoredRun,
    environment: ServiceEnvironment,
    { costUsd = 0, tokens }: AgentUsage,
  ): Promise<RunUsage['tightestCap']> {
    const { spendKeys, labels } = capsOfRun(run, environment);
    await reported.save({
      // A restarted program counts from zero again.
      id: `${run.id} ${run.restarts}`,
      runId: run.id,
      environmentId: environment.id,
      labels,
      spendKeys,
      model: run.model_id ?? environment.harness ?? 'unknown',
      tokens: tokens === undefined ? undefined : Math.round(within(tokens, maxTokens)),
      micros: microsOf(costUsd),
    });
    return (await countedUsage(run, environment)).tightestCap;
  }

  return {
    /** Saves the usage of a run soon, after one of its calls was settled. */
    changed(runId: string): void {
      if (!waiting.has(runId)) waiting.set(runId, saveSoon(runId));
    },

    /** Saves the usage that isn't saved yet. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(waiting.values());
    },

    /** Returns what to save after a program reported its usage so far. */
    async soFar(runId: string, usage: AgentUsage | undefined): Promise<RunUpdate> {
      const run = usage && (await runs.get(runId));
      const environment = run && environmentOf(run);
      if (!run || (environment && usesGateway(run, environment))) return {};
      return { usage_json: JSON.stringify(usage) };
    },

    /** Returns what to save after a program reported the usage of all its work in a run. */
    async whole(runId: string, usage: AgentUsage): Promise<RunUpdate> {
      const run = await runs.get(runId);
      const environment = run && environmentOf(run);
      if (!run || !environment) return { ...updateOf(usage), note: `Used ${usageText(usage)}` };
      if (usesGateway(run, environment)) {
        const counted = await countedUsage(run, environment);
        const note = [`Used ${usageText(counted)}`, difference(counted, usage)].filter(Boolean);
        return { ...updateOf(counted), note: note.join('. ') };
      }
      const tightestCap = await countReported(run, environment, usage);
      return {
        ...updateOf({ ...usage, ...(tightestCap && { tightestCap }) }),
        note: `Used ${usageText(usage)}`,
      };
    },

    /** Returns the usage to save at the end of a run. Returns nothing if its program reported the usage. */
    async atEnd({ id }: Pick<StoredRun, 'id'>): Promise<RunUpdate> {
      const run = await runs.get(id);
      const environment = run && environmentOf(run);
      if (!environment || !usesGateway(run, environment)) return {};
      return updateOf(await countedUsage(run, environment));
    },
  };
}

/**
 * Returns true if a run calls models through the gateway. The environments file may have changed since it started, so
 * look for the token that a run on this machine got.
 */
const usesGateway = (run: StoredRun, environment: ServiceEnvironment): boolean =>
  runnerOf(environment) === 'local'
    ? run.model_token_hash !== null
    : environment.models !== undefined;

/** Max usage that a program can report. Its output can contain any number. */
const maxTokens = 1e12;
const maxUsd = 1e5;
const within = (value: number, max: number) => Math.min(max, Math.max(0, value || 0));
const microsOf = (usd: number) => Math.ceil(within(usd, maxUsd) * 1e6);

/** Says what a program reported, if its cost differs notably from the cost of its calls. */
function difference({ costUsd: counted = 0 }: RunUsage, { costUsd }: AgentUsage) {
  if (costUsd === undefined) return undefined;
  const apart = Math.abs(costUsd - counted);
  if (apart <= notableUsd || apart <= notableShare * counted) return undefined;
  return `The agent program reported ${usageText({ costUsd })}`;
}
