import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Question } from 'runs-client/contract';
import type { ServiceArtifacts } from '../../store/service/service-artifacts.ts';
import type { ServiceDispatches } from '../../store/service/service-dispatches.ts';
import type { ServiceRunFollowups } from '../../store/service/service-run-followups.ts';
import type { ServiceRunProgress } from '../../store/service/service-run-progress.ts';
import type { ServiceRunQuestions } from '../../store/service/service-run-questions.ts';
import {
  activeStates,
  type ServiceRun,
  type ServiceRunUpdate,
} from '../../store/service/service-runs.ts';
import type { ChangeFeed } from '../api/change-feed.ts';
import { readBody } from '../api/read-body.ts';
import { readJson } from '../api/read-json.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { usageText } from '../harnesses/steps/agent-step.ts';
import {
  artifactsSchema,
  askSchema,
  closeSchema,
  endSchema,
  followupRequestSchema,
  type Report,
  type RunEvent,
  reportSchema,
} from '../protocol/report.ts';
import { createQuestions } from '../queue/questions.ts';
import { composeWork, type WorkOptions } from './compose-work.ts';
import type { ReceivedFiles } from './received-files.ts';
import { readUntil } from './wait-for-change.ts';
import type { WorkerContext, WorkerVariables } from './worker-door.ts';

/** @throws ApiProblem if the environment is gone */
export type FindEnvironment = (run: ServiceRun) => ServiceEnvironment;

export type ReportRoutesOptions = WorkOptions & {
  followups: Pick<ServiceRunFollowups, 'listOf' | 'takeOrClose'>;
  dispatches: ServiceDispatches;
  progress: ServiceRunProgress;
  questions: ServiceRunQuestions;
  artifacts: Pick<ServiceArtifacts, 'replace'>;
  received: ReceivedFiles;
  environmentOf: FindEnvironment;
  deadlineOf: (environment: ServiceEnvironment) => number;
  feed: ChangeFeed;
  /** Makes this process the one that follows a run. */
  take: (runId: string) => Promise<void>;
  /** The end of a run has just been stored. */
  onEnd: () => void;
  stopping: AbortSignal;
  logger: Parameters<typeof createQuestions>[1]['logger'];
};

const answerWaitMs = 10_000;

const bodyOf = <Context extends WorkerContext>(context: Context) => readJson(context.req.raw);

const updateOf = (event: RunEvent): ServiceRunUpdate =>
  'note' in event
    ? { note: event.note }
    : { usage_json: JSON.stringify(event.usage), note: `Used ${usageText(event.usage)}` };

/** What `run-one` asks and says. Everything can be repeated, because replies get lost. */
export function createReportRoutes(options: ReportRoutesOptions) {
  const { runs, dispatches, followups, progress, artifacts, received, environmentOf } = options;
  const questions = createQuestions(options.questions, {
    owner: undefined,
    logger: options.logger,
  });

  /** @returns the number of the next event */
  async function apply(context: WorkerContext, { from, events }: Report): Promise<number> {
    const { run, worker, dispatch } = context.var;
    let next = dispatch.events;
    for (const [index, event] of events.entries()) {
      if (from + index !== next) continue;
      if (!(await dispatches.apply(run.id, worker, { number: next, update: updateOf(event) }))) {
        const [now] = await dispatches.of([run.id]);
        return now?.events ?? next;
      }
      next += 1;
    }
    return next;
  }

  async function save({ id }: ServiceRun, report: Report): Promise<void> {
    if (report.progress) await progress.save(id, undefined, JSON.stringify(report.progress));
    if (!report.announce) return;
    const { usage } = report.announce;
    await runs.change(id, activeStates, usage ? { usage_json: JSON.stringify(usage) } : {});
  }

  const waiting = (context: WorkerContext, maxMs: number) => ({
    ...{ feed: options.feed, runId: context.get('run').id, maxMs },
    signal: AbortSignal.any([context.req.raw.signal, options.stopping]),
  });

  return new Hono<{ Variables: WorkerVariables }>()
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
        waiting(context, report.wait_seconds * 1000),
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
    .post('/questions', async (context) => {
      const { question, expires_at } = readBody(askSchema, await bodyOf(context));
      const { id } = context.get('run');
      const asked = await questions.ask(id, question as Question, expires_at, options.stopping);
      return context.json({ asked });
    })
    .get('/questions/:question{[\\w-]{1,100}}', async (context) => {
      const { id } = context.get('run');
      const read = () => questions.answerOf(id, context.req.param('question'), options.stopping);
      const maxMs = Math.min(answerWaitMs, Number(context.req.query('wait_ms') ?? 0) || 0);
      const found = await readUntil(waiting(context, maxMs), read, (each) => each !== undefined);
      return context.json({ closed: found !== undefined, ...(found && { answer: found }) });
    })
    .post('/questions/:question{[\\w-]{1,100}}/close', async (context) => {
      const { note } = readBody(closeSchema, await bodyOf(context));
      const { id } = context.get('run');
      await questions.close(id, context.req.param('question'), note, options.stopping);
      return context.json({});
    })
    .post('/artifacts', async (context) => {
      const { artifacts: found } = readBody(artifactsSchema, await bodyOf(context));
      const { id: runId } = context.get('run');
      const createdAt = Date.now();
      const rows = found.map((each, number) => ({
        ...each,
        ...{ uid: randomUUID(), runId, number, createdAt },
      }));
      await artifacts.replace(runId, undefined, rows as Parameters<typeof artifacts.replace>[2]);
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
