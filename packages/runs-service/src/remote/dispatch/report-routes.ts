import { randomUUID } from 'node:crypto';
import type { Logger } from 'base/logger';
import { Hono } from 'hono';
import { createRateLimit } from '../../api/keys/rate-limit.ts';
import { ApiProblem } from '../../api/problem.ts';
import { readBody } from '../../api/read-body.ts';
import { readJson } from '../../api/read-json.ts';
import type { ReadContent } from '../../artifacts/open-contents.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { createKeyedLock } from '../../execution/keyed-lock.ts';
import { usageText } from '../../harnesses/steps/agent-step.ts';
import type { ArtifactStore, StoredArtifact } from '../../store/artifacts.ts';
import type { Dispatches } from '../../store/dispatches.ts';
import type { Followups } from '../../store/followups.ts';
import type { ProgressStore } from '../../store/progress-store.ts';
import type { RunUpdate } from '../../store/run-changes.ts';
import { activeStates, type StoredRun } from '../../store/runs.ts';
import {
  artifactsSchema,
  endSchema,
  followupRequestSchema,
  type Report,
  type ReportedArtifact,
  type RunEvent,
  reportSchema,
} from '../protocol/report.ts';
import { createAnnouncements } from './announcements.ts';
import { checkArtifact } from './checked-artifact.ts';
import { composeWork, type WorkOptions } from './compose-work.ts';
import { createQuestionRoutes, type QuestionRoutesOptions } from './question-routes.ts';
import type { ReceivedFiles } from './received-files.ts';
import { readUntil, waiting } from './wait-for-change.ts';
import type { WorkerContext, WorkerVariables } from './worker-access.ts';

export type ReportRoutesOptions = WorkOptions &
  QuestionRoutesOptions & {
    followups: Pick<Followups, 'listOf' | 'takeOrClose'>;
    dispatches: Dispatches;
    progress: ProgressStore;
    artifacts: Pick<ArtifactStore, 'replace'>;
    received: ReceivedFiles;
    deadlineOf: (environment: ServiceEnvironment) => number;
    /** Makes this process the one that follows a run. */
    take: (runId: string) => Promise<void>;
    /** The end of a run has just been stored. */
    onEnd: () => void;
    readContent: ReadContent;
    logger: Logger;
  };

/** A run has hundreds. */
const maxEvents = 5_000;
/** Besides the files that an agent leaves: changes, incomplete changes, an answer and a plan. */
const ownArtifacts = 4;
/** Each time, their contents are read. */
const artifactsPerMinute = 10;

const bodyOf = <Context extends WorkerContext>(context: Context) => readJson(context.req.raw);

const updateOf = (event: RunEvent): RunUpdate =>
  'note' in event
    ? { note: event.note }
    : { usage_json: JSON.stringify(event.usage), note: `Used ${usageText(event.usage)}` };

/** What `run-one` asks and says. Everything can be repeated, because replies get lost. */
export function createReportRoutes(options: ReportRoutesOptions) {
  const { runs, dispatches, followups, progress, artifacts, received, environmentOf } = options;
  const announcements = createAnnouncements(options);
  const withLock = createKeyedLock();
  const naming = createRateLimit({ requestsPerMinute: artifactsPerMinute });

  /** Takes more events than are kept, so that what comes after them isn't held up. @returns the number of the next one */
  async function apply(context: WorkerContext, { from, events }: Report): Promise<number> {
    const { run, worker, dispatch } = context.var;
    let next = dispatch.events;
    for (const [index, event] of events.entries()) {
      if (next >= maxEvents) return Math.max(next, from + events.length);
      if (from + index !== next) continue;
      const update = next < maxEvents - 1 ? updateOf(event) : { note: 'Later notes are left out' };
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
    .route('/', createQuestionRoutes(options))
    .post('/start', async (context) => {
      const { run, dispatch } = context.var;
      const environment = environmentOf(run);
      const deadline = options.deadlineOf(environment);
      return context.json(await composeWork(options, { run, dispatch }, environment, deadline));
    })
    .post('/report', async (context) => {
      const report = readBody(reportSchema, await bodyOf(context));
      const next = await apply(context, report);
      await save(context.get('run'), report);
      const now = await readUntil(
        waiting(options, context, report.wait_seconds * 1000),
        () => runs.get(context.get('run').id),
        (run) => run?.cancel_requested !== 0 || !activeStates.includes(run.state),
      );
      return context.json({ next, canceled: now?.cancel_requested === 1 });
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
      assertBounded(found, options.limits);
      const createdAt = Date.now();
      const rows: StoredArtifact[] = [];
      for (const [number, each] of found.entries())
        rows.push({
          // A part of a content can be large, so only one is in memory at a time.
          ...(await withLock('content', () => checkArtifact(each, options.readContent))),
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
        await options.take(run.id);
        await dispatches.end(run.id, worker, JSON.stringify(end));
        await received.clear(run.id);
      }
      options.onEnd();
      return context.json({ missing: false });
    });
}

/** @throws ApiProblem unless this is what a run may leave */
function assertBounded(
  found: readonly ReportedArtifact[],
  { artifacts, patch_bytes }: WorkOptions['limits'],
): void {
  const most = artifacts.files + ownArtifacts;
  if (found.length > most)
    throw new ApiProblem('cannot_be_processed', `a run can leave ${most} artifacts`);
  const bytes = found.reduce((sum, { data }) => sum + ('file' in data ? data.file.bytes : 0), 0);
  if (bytes > artifacts.totalBytes + ownArtifacts * patch_bytes)
    throw new ApiProblem('request_too_large', 'The files are larger than a run may leave.');
}
