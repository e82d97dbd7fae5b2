import { Hono } from 'hono';
import type { Question } from 'runs-client/contract';
import { readBody } from '../../api/read-body.ts';
import { readJson } from '../../api/read-json.ts';
import { questionSecondsOf, type ServiceEnvironment } from '../../environments/environments.ts';
import { createQuestions } from '../../queue/questions.ts';
import type { RunQuestions } from '../../store/run-questions.ts';
import { askSchema, closeSchema } from '../protocol/report.ts';
import { readUntil, type WaitingOptions, waiting } from './wait-for-change.ts';
import type { FindEnvironment, WorkerVariables } from './worker-access.ts';

export type QuestionRoutesOptions = WaitingOptions & {
  questions: RunQuestions;
  environmentOf: FindEnvironment;
};

const answerWaitMs = 10_000;

/** Questions of agents elsewhere. A write that fails is repeated by `run-one`. */
export function createQuestionRoutes(options: QuestionRoutesOptions) {
  const questions = createQuestions(options.questions, undefined);
  return new Hono<{ Variables: WorkerVariables }>()
    .post('/questions', async (context) => {
      const { question } = readBody(askSchema, await readJson(context.req.raw));
      const run = context.get('run');
      const expires_at = closesAt(question, options.environmentOf(run));
      const shown = { ...question, expires_at } as Question;
      const asked = await questions.ask(run.id, shown, options.stopping);
      return context.json({ asked });
    })
    .get('/questions/:question{[\\w-]{1,100}}', async (context) => {
      const { id } = context.get('run');
      const read = () => questions.answerOf(id, context.req.param('question'), options.stopping);
      const maxMs = Math.min(answerWaitMs, Number(context.req.query('wait_ms') ?? 0) || 0);
      const found = await readUntil(
        waiting(options, context, maxMs),
        read,
        (each) => each !== undefined,
      );
      return context.json({ closed: found !== undefined, ...(found && { answer: found }) });
    })
    .post('/questions/:question{[\\w-]{1,100}}/close', async (context) => {
      const { note } = readBody(closeSchema, await readJson(context.req.raw));
      const { id } = context.get('run');
      await questions.close(id, context.req.param('question'), note, options.stopping);
      return context.json({});
    });
}

/** As the pod says, but never later than its environment allows. */
function closesAt(
  { expires_at: given }: Pick<Question, 'expires_at'>,
  environment: ServiceEnvironment,
) {
  const latest = Date.now() + questionSecondsOf(environment) * 1000;
  const asked = Date.parse(given ?? '');
  return new Date(Number.isNaN(asked) ? latest : Math.min(asked, latest)).toISOString();
}
