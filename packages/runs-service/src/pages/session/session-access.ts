import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ApiProblem } from '../../api/problem.ts';
import { mayChange, mayOpen } from '../../api/runs/visible-runs.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { Markup } from '../markup.ts';
import type { PersonOf, ReaderOf } from '../sign-in/sign-in.ts';
import type { SignInPage } from '../sign-in/sign-in-view.ts';
import type { SlackSignIn } from '../sign-in/slack-sign-in.ts';

export type SessionLinkOptions = {
  /** How long after the end of its run a link opens the session without signing in. */
  sessionLinkDays?: number | undefined;
  /** Whether everyone has to sign in to open a session. */
  sessionPageLogin?: boolean | undefined;
  /** Without it, people sign in with keys only. */
  slackSignIn?: SlackSignIn | undefined;
};

type SessionAccessOptions = SessionLinkOptions & {
  runs: Pick<Runs, 'getBySessionToken'>;
  readerOf: ReaderOf;
  personOf: PersonOf;
  signInPage(about: SignInPage): Markup;
};

/** Someone who may answer for a run, or why no one here may: not signed in, or signed in without the right. */
export type Answerer = { name: string } | 'unknown' | 'refused';

const wrongKey = "Your key doesn't open this session. Sign in with another one.";
const notInSlack =
  "You don't see this run in Slack, or Slack didn't say who you are. Ask the person who started it.";
const dayMs = 86_400_000;

/** Files of a session are deeper than its page. */
const rootFrom = (path: string) => '../'.repeat(path.split('/').length - 2);

/** The run of a session page, for a browser that may open it: by its link, or signed in. */
export function createSessionAccess(options: SessionAccessOptions) {
  const {
    runs,
    readerOf,
    personOf,
    signInPage,
    slackSignIn,
    sessionLinkDays = 30,
    sessionPageLogin = false,
  } = options;

  async function find(context: Context, needsSignIn: boolean): Promise<StoredRun> {
    const token = context.req.param('token') ?? '';
    const run = await runs.getBySessionToken(token);
    if (!run)
      throw new ApiProblem(
        'resource_not_found',
        "This link doesn't lead to a session. Check that it's complete. It may also have been revoked.",
      );
    const hasExpired = Date.now() > (run.ended_at ?? Date.now()) + sessionLinkDays * dayMs;
    if (!needsSignIn && !hasExpired) return run;
    const reader = await readerOf(context);
    if (reader && mayOpen(reader, run)) return run;
    const why = hasExpired ? 'This link has expired. Sign in to open it.' : 'Sign in to open it.';
    const person = slackSignIn && (await personOf(context));
    if (person && (await slackSignIn.maySee(person, run))) return run;
    const noAccess = person ? notInSlack : wrongKey;
    const isKnown = reader !== undefined || person !== undefined;
    const page = await signInPage({
      root: rootFrom(context.req.path),
      to: `session/${token}`,
      problem: isKnown ? noAccess : why,
      offersSlack: slackSignIn !== undefined,
    });
    const res = await context.html(page, isKnown ? 403 : 401);
    throw new HTTPException(isKnown ? 403 : 401, { res });
  }

  /** A link alone reads; who changes the run has to be known. */
  async function answererOf(context: Context, run: StoredRun): Promise<Answerer> {
    const reader = await readerOf(context);
    if (reader) return mayChange(reader, run) ? { name: reader.creator.display_name } : 'refused';
    const person = slackSignIn && (await personOf(context));
    if (!person) return 'unknown';
    const name = await slackSignIn.nameToAnswer(person, run);
    return name === undefined ? 'refused' : { name };
  }

  return {
    answererOf,
    findRun: (context: Context) => find(context, sessionPageLogin),
    findRunSignedIn: (context: Context) => find(context, true),
  };
}
