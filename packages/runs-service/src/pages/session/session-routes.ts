import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isTerminalState } from 'runs-client/contract';
import { createStreamLimit, streamEvents } from '../../api/event-stream.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { AnswerHandler } from '../../api/runs/answer-handler.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import type { ProgressStore } from '../../store/progress-store.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import { assertSameSite, type Markup, pageHeaders } from '../page.ts';
import { progressView } from './progress-view.ts';
import type { ReadSession } from './read-session.ts';
import type { SessionAccess } from './session-access.ts';
import { followSession } from './session-live.ts';
import { maskProgress } from './session-masks.ts';
import { sessionPage } from './session-view.ts';

/** Max live pages that can be open for one session (`each`), and in the whole process (`inTotal`). */
const streamLimit = {
  each: 20,
  inTotal: 500,
  message: 'Too many people watch this service live. Reload the page to see the current state.',
};

/** Creates the routes of session pages, which a run's `session_link` opens. The link's token is 32 random bytes. */
export function createSessionRoutes({
  access,
  readSession,
  answerByForm,
  runs,
  progress,
  files,
  stopping,
  logger,
}: {
  access: SessionAccess;
  readSession: ReadSession;
  answerByForm: AnswerHandler['answerByForm'];
  runs: Runs;
  progress: ProgressStore;
  files: RunFiles;
  /** Aborts when the service stops, which ends live pages. */
  stopping: AbortSignal;
  logger: Logger;
}): Hono {
  const streams = createStreamLimit(streamLimit);
  const app = new Hono();
  app.use('/session/*', pageHeaders("connect-src 'self'; form-action 'self'"));

  async function show(context: Context, run: StoredRun, problem?: string): Promise<Markup> {
    const session = await readSession(run);
    const { question } = session.progress;
    const openQuestion = question
      ? { question, answerer: await access.answererOf(context, run) }
      : undefined;
    return sessionPage({ ...session, openQuestion, problem });
  }

  app.get('/session/:token', async (context) => {
    if (context.req.query('sign-in') === undefined)
      return context.html(await show(context, await access.findRun(context)));
    await access.findRunSignedIn(context);
    return context.redirect(context.req.param('token'), 303);
  });

  app.get('/session/:token/events', async (context) => {
    const run = await access.findRun(context);
    // Don't open a stream for HEAD, because Hono wouldn't close it.
    if (context.req.method === 'HEAD') return context.body(null);
    const from = Number(context.req.header('last-event-id') ?? context.req.query('from') ?? 0);
    streams.enter(run.session_token);
    const readChanged = liveProgress(progress, run.id);
    const texts = (gone: AbortSignal) =>
      followSession({
        outputFile: files.outputFile(run.id),
        from: Number.isSafeInteger(from) && from >= 0 ? from : 0,
        version: Number(context.req.query('version')),
        signal: AbortSignal.any([gone, stopping]),
        poll: async () => {
          const [now, changed] = await Promise.all([runs.get(run.id), readChanged()]);
          return (
            now && { updatedAt: now.updated_at, ended: isTerminalState(now.state), ...changed }
          );
        },
      });
    const onEnd = () => streams.leave(run.session_token);
    return streamEvents(context, { texts, onEnd, logger });
  });

  // Accept an answer only from a signed-in reader who can answer this agent. Having the link isn't enough, because
  // it only lets people read.
  app.post('/session/:token', bodyLimit({ maxSize: maxAnswerBytes }), async (context) => {
    assertSameSite(context);
    const run = await access.findRun(context);
    const reject = async (problem: string, status: ContentfulStatusCode) =>
      context.html(await show(context, await access.findRun(context), problem), status);
    const answerer = await access.answererOf(context, run);
    if (answerer === 'unknown') return reject("Your answer wasn't used: sign in first.", 401);
    if (answerer === 'denied')
      return reject("Your answer wasn't used: you can't answer this run's agent.", 403);
    try {
      const form = await context.req.parseBody({ all: true });
      await answerByForm(run.id, answerer.name, form);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      return reject(notUsed[error.code] ?? error.message, error.status);
    }
    return context.redirect(run.session_token, 303);
  });
  return app;
}

/** Max size of a form with an answer, in bytes. An answer of 20,000 characters fits, even after URL encoding. */
const maxAnswerBytes = 256 * 1024;

const notUsed: Partial<Record<ApiProblem['code'], string>> = {
  question_closed:
    "Your answer wasn't used: the question was answered before, or it has expired. See the timeline.",
};

/** Creates a function that returns the HTML of progress if it has changed since the last call. */
function liveProgress(store: ProgressStore, runId: string) {
  let seen: number | undefined;
  return async (): Promise<{ progress?: string }> => {
    const [found] = await store.listOf([runId]);
    if (!found || found.changed_at === seen) return {};
    seen = found.changed_at;
    return {
      progress: String(await progressView(maskProgress(JSON.parse(found.progress_json)))),
    };
  };
}
