import { Hono } from 'hono';
import type { Question } from 'runs-client/contract';
import { ApiProblem } from '../../api/problem.ts';
import { readBody, readJson } from '../../api/read-request.ts';
import { questionSecondsOf, type ServiceEnvironment } from '../../environments/environments.ts';
import { createQuestions } from '../../queue/questions.ts';
import type { RunQuestions } from '../../store/run-questions.ts';
import { askSchema, closeSchema } from '../protocol.ts';
import {
  type FindEnvironment,
  readUntil,
  type Waiting,
  type WorkerVariables,
} from './worker-access.ts';

const answerWaitMs = 10_000;

const waitsForOther = new ApiProblem(
  'conflict',
  'The run waits for the answer to another question. Ask again.',
);

/**
 * Creates the routes for questions of remote agents. They don't retry failed writes, because `run-one` repeats its
 * requests.
 */
export function createQuestionRoutes({
  questions: stored,
  environmentOf,
  waiting,
}: {
  questions: RunQuestions;
  environmentOf: FindEnvironment;
  waiting: Waiting;
}) {
  const questions = createQuestions(stored, undefined);
  const { stopping } = waiting;
  return new Hono<{ Variables: WorkerVariables }>()
    .post('/questions', async (context) => {
      const { question } = readBody(askSchema, await readJson(context.req.raw));
      const run = context.get('run');
      const expires_at = closesAt(question, environmentOf(run));
      const shown = { ...question, expires_at } as Question;
      const late = AbortSignal.any([stopping, AbortSignal.timeout(answerWaitMs)]);
      const asked = await questions.ask(run.id, shown, late);
      if (!asked && late.aborted) throw waitsForOther;
      return context.json({ asked });
    })
    .get('/questions/:question{[\\w-]{1,100}}', async (context) => {
      const { id } = context.get('run');
      const read = () => questions.answerOf(id, context.req.param('question'), stopping);
      const maxMs = Math.min(answerWaitMs, Number(context.req.query('wait_ms') ?? 0) || 0);
      const found = await readUntil(read, (each) => each !== undefined, {
        context,
        maxMs,
        waiting,
      });
      return context.json({ closed: found !== undefined, ...(found && { answer: found }) });
    })
    .post('/questions/:question{[\\w-]{1,100}}/close', async (context) => {
      const { note } = readBody(closeSchema, await readJson(context.req.raw));
      const { id } = context.get('run');
      await questions.close(id, context.req.param('question'), note, stopping);
      return context.json({});
    });
}

/** Returns the time when the question expires. It's the requested time, but not later than the environment allows. */
function closesAt(
  { expires_at: given }: Pick<Question, 'expires_at'>,
  environment: ServiceEnvironment,
) {
  const latest = Date.now() + questionSecondsOf(environment) * 1000;
  const asked = Date.parse(given ?? '');
  return new Date(Number.isNaN(asked) ? latest : Math.min(asked, latest)).toISOString();
}
