import { randomUUID } from 'node:crypto';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Hono } from 'hono';
import { createRateLimit } from '../../api/keys/rate-limit.ts';
import { ApiProblem } from '../../api/problem.ts';
import { readBody, readJson } from '../../api/read-request.ts';
import type { ReadContent } from '../../artifacts/open-contents.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { createKeyedLock } from '../../execution/keyed-lock.ts';
import type { RunUsages } from '../../gateway/run-usage.ts';
import type { AgentUsage } from '../../harnesses/steps/agent-step.ts';
import type { ArtifactStore, StoredArtifact } from '../../store/artifacts.ts';
import type { RunUpdate } from '../../store/run-changes.ts';
import { activeStates, type Runs, type StoredRun } from '../../store/runs.ts';
import type { Stores } from '../../store/stores.ts';
import {
  artifactsSchema,
  endSchema,
  followupRequestSchema,
  type Report,
  type ReportedArtifact,
  type RunEvent,
  reportSchema,
} from '../protocol.ts';
import { checkArtifact } from './check-artifact.ts';
import { composeWork, type RemoteLimits } from './compose-work.ts';
import type { ReceivedFiles } from './received-files.ts';
import { isNews, type ReportedState, readSpending } from './run-spending.ts';
import {
  type FindEnvironment,
  readUntil,
  type Waiting,
  type WorkerContext,
  type WorkerVariables,
} from './worker-access.ts';

/** Max events to store per run. Normal runs have hundreds. */
const maxEvents = 5_000;
/** Number of artifacts in addition to the agent's files: changes, incomplete changes, an answer and a plan. */
const ownArtifacts = 4;
/** Max artifact reports of a run per minute, because each report reads all contents. */
const artifactsPerMinute = 10;

const bodyOf = <Context extends WorkerContext>(context: Context) => readJson(context.req.raw);

/** Creates the routes for the reports of `run-one`. Every request can be repeated, because replies can get lost. */
export function createReportRoutes({
  stores,
  artifacts,
  readContent,
  files,
  received,
  environmentOf,
  limits,
  waiting,
  usages,
  take,
  onEnd,
  logger,
}: {
  stores: Stores;
  artifacts: ArtifactStore;
  readContent: ReadContent;
  files: RunFiles;
  received: ReceivedFiles;
  environmentOf: FindEnvironment;
  limits: RemoteLimits;
  waiting: Waiting;
  usages: Pick<RunUsages, 'soFar' | 'whole'>;
  /** Makes this process follow the run, even if another process follows it now. */
  take: (runId: string) => Promise<void>;
  /** Called when the end of a run was stored. */
  onEnd: () => void;
  logger: Logger;
}) {
  const { runs, dispatches, followups, progress, questions } = stores;
  const announcements = createAnnouncements(runs, usages, waiting.stopping, logger);
  const withLock = createKeyedLock();
  const naming = createRateLimit({ requestsPerMinute: artifactsPerMinute });

  const updateOf = async (runId: string, event: RunEvent): Promise<RunUpdate> =>
    'note' in event ? { note: event.note } : usages.whole(runId, event.usage);

  /**
   * Stores the new events of a report. Events beyond the limit are accepted but not stored, so that they don't block
   * later reports.
   * @returns the number of the next event
   */
  async function apply(context: WorkerContext, { from, events }: Report): Promise<number> {
    const { run, worker, dispatch } = context.var;
    let next = dispatch.events;
    for (const [index, event] of events.entries()) {
      if (next >= maxEvents) return Math.max(next, from + events.length);
      if (from + index !== next) continue;
      const isLast = next === maxEvents - 1;
      const update = isLast ? { note: 'Later notes are left out' } : await updateOf(run.id, event);
      if (!(await dispatches.apply(run.id, worker, { number: next, update }))) {
        const [now] = await dispatches.of([run.id]);
        return now?.events ?? next;
      }
      next += 1;
    }
    return next;
  }

  async function save(run: StoredRun, report: Report): Promise<void> {
    if (report.progress) await progress.save(run.id, undefined, JSON.stringify(report.progress));
    const isWhole = report.events.some((event) => 'usage' in event);
    if (isWhole) announcements.forgetUsage(run.id);
    if (report.announce) announcements.announce(run, isWhole ? undefined : report.announce.usage);
  }

  return new Hono<{ Variables: WorkerVariables }>()
    .post('/start', async (context) => {
      const { run, dispatch, attemptToken } = context.var;
      const environment = environmentOf(run);
      const attempt = { run, dispatch, attemptToken };
      const work = await composeWork(attempt, environment, { stores, files, limits });
      return context.json(work);
    })
    .post('/report', async (context) => {
      const report = readBody(reportSchema, await bodyOf(context));
      const next = await apply(context, report);
      await save(context.get('run'), report);
      const { id } = context.get('run');
      const { spending: known } = report;
      const read = async (): Promise<ReportedState> => {
        const run = await runs.get(id);
        return { run, spending: run && known && (await readSpending(questions, run)) };
      };
      const maxMs = report.wait_seconds * 1000;
      const isAnswer = (now: ReportedState) => isNews(now, known);
      const { run, spending } = await readUntil(read, isAnswer, { context, maxMs, waiting });
      const canceled = run?.cancel_requested === 1;
      return context.json({ next, canceled, ...(spending && { spending }) });
    })
    .post('/followup', async (context) => {
      const { after } = readBody(followupRequestSchema, await bodyOf(context));
      const followup = await followups.takeOrClose(context.get('run').id, after);
      return context.json({ ...(followup && { followup }) });
    })
    .post('/artifacts', async (context) => {
      const { artifacts: found } = readBody(artifactsSchema, await bodyOf(context));
      const { id: runId } = context.get('run');
      naming.take(runId, 'The process of this run');
      assertBounded(found, limits);
      const createdAt = Date.now();
      const rows: StoredArtifact[] = [];
      for (const [number, each] of found.entries())
        rows.push({
          // Check one artifact at a time, because a check reads large parts of a content into memory.
          ...(await withLock('content', () => checkArtifact(each, readContent))),
          uid: randomUUID(),
          runId,
          number,
          createdAt,
        });
      await artifacts.replace(runId, undefined, rows);
      return context.json({});
    })
    .post('/end', async (context) => {
      const end = readBody(endSchema, await bodyOf(context));
      const { run, worker, dispatch } = context.var;
      if (dispatch.end_json === null) {
        const target = { runId: run.id, attempt: dispatch.attempt, name: 'output' };
        if ((await received.have(target)) < end.output_bytes)
          return context.json({ missing: true });
        await take(run.id);
        await dispatches.end(run.id, worker, JSON.stringify(end));
        await received.clear(run.id);
      }
      onEnd();
      return context.json({ missing: false });
    });
}

/**
 * Checks the number and the total size of artifacts.
 * @throws ApiProblem if they exceed the limits of a run
 */
function assertBounded(
  found: readonly ReportedArtifact[],
  { artifacts, patch_bytes }: RemoteLimits,
): void {
  const most = artifacts.files + ownArtifacts;
  if (found.length > most)
    throw new ApiProblem('cannot_be_processed', `a run can leave ${most} artifacts`);
  const bytes = found.reduce((sum, { data }) => sum + ('file' in data ? data.file.bytes : 0), 0);
  if (bytes > artifacts.totalBytes + ownArtifacts * patch_bytes)
    throw new ApiProblem('request_too_large', 'The files are larger than a run may leave.');
}

/**
 * Min time between two announced changes of a run, in ms, because each one adds a row. `run-one` announces every three
 * seconds.
 */
const gapMs = 1_000;

/** Creates an object that announces changes of runs, at most once a second per run. */
function createAnnouncements(
  runs: Runs,
  usages: Pick<RunUsages, 'soFar'>,
  stopping: AbortSignal,
  logger: Logger,
) {
  const waiting = new Map<string, { usage: AgentUsage | undefined }>();

  async function change(id: string, waitMs: number, next: { usage: AgentUsage | undefined }) {
    await sleep(waitMs, stopping);
    waiting.delete(id);
    try {
      await runs.change(id, activeStates, await usages.soFar(id, next.usage));
    } catch (error) {
      // Continue, because the next announcement or the end replaces a lost one.
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
    /** Drops usage that waits to be announced, because the usage of the whole run was saved and is higher. */
    forgetUsage(id: string): void {
      const before = waiting.get(id);
      if (before) before.usage = undefined;
    },
  };
}
