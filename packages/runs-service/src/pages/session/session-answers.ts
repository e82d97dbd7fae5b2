import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ApiProblem } from '../../api/problem.ts';
import type { QuestionDesk } from '../../api/runs/answer-question.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Markup } from '../markup.ts';
import { assertSameSite } from '../same-site.ts';
import type { Answerer } from './session-access.ts';

export type SessionAnswersOptions = {
  findRun: (context: Context) => Promise<StoredRun>;
  findRunSignedIn: (context: Context) => Promise<StoredRun>;
  answererOf: (context: Context, run: StoredRun) => Promise<Answerer>;
  answerByForm: QuestionDesk['answerByForm'];
  /** The page as it is now, with the reason why an answer didn't count. */
  show: (context: Context, run: StoredRun, problem: string) => Promise<Markup>;
};

/** An answer of 20,000 characters, as forms encode it. */
const maxBytes = 256 * 1024;

const notUsed: Partial<Record<ApiProblem['code'], string>> = {
  question_closed:
    "Your answer wasn't used: the question was answered before, or it has expired. The timeline says which.",
};

/** Answers a question from its session page. The link alone isn't enough: the reader is signed in and may answer. */
export function createSessionAnswers(options: SessionAnswersOptions): Hono {
  const { findRun, findRunSignedIn, answererOf, answerByForm, show } = options;
  const app = new Hono();

  app.get('/session/:token', async (context, next) => {
    if (context.req.query('sign-in') === undefined) return next();
    await findRunSignedIn(context);
    return context.redirect(context.req.param('token'), 303);
  });

  app.post('/session/:token', bodyLimit({ maxSize: maxBytes }), async (context) => {
    assertSameSite(context);
    const run = await findRun(context);
    const refuse = async (problem: string, status: ContentfulStatusCode) =>
      context.html(await show(context, await findRun(context), problem), status);
    const answerer = await answererOf(context, run);
    if (answerer === 'unknown') return refuse("Your answer wasn't used: sign in first.", 401);
    if (answerer === 'refused')
      return refuse("Your answer wasn't used: you can't answer this run's agent.", 403);
    try {
      const form = await context.req.parseBody({ all: true });
      await answerByForm(run.id, answerer.name, form);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      return refuse(notUsed[error.code] ?? error.message, error.status);
    }
    return context.redirect(run.session_token, 303);
  });
  return app;
}
