import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ApiProblem } from '../../api/problem.ts';
import { canChange, canOpen } from '../../api/runs/visible-runs.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import type { SignIn } from '../sign-in.ts';
import type { SlackSignIn } from '../slack-sign-in.ts';

export type SessionAccess = ReturnType<typeof createSessionAccess>;

/**
 * Name of a reader who can answer the run's agent. Otherwise, `unknown` if the reader isn't signed in, or `denied` if
 * they can't answer.
 */
export type Answerer = { name: string } | 'unknown' | 'denied';

const wrongKey = "Your key doesn't open this session. Sign in with another one.";
const notInSlack =
  "You don't see this run in Slack, or Slack didn't say who you are. Ask the person who started it.";
const dayMs = 86_400_000;

/** Returns the relative path from a session's page, or from one of its files, to the service's pages. */
const rootFrom = (path: string) => '../'.repeat(path.split('/').length - 2);

/**
 * Creates the access check of session pages. It returns the run if the reader can open it, with the link or by signing
 * in.
 */
export function createSessionAccess({
  runs,
  signIn,
  slackSignIn,
  linkDays = 30,
  needsSignIn = false,
}: {
  runs: Runs;
  signIn: SignIn;
  /** Sign-in with Slack. If undefined, people can sign in only with API keys. */
  slackSignIn: SlackSignIn | undefined;
  /** Number of days after the end of a run in which its link works without signing in. */
  linkDays?: number | undefined;
  /** True if everyone has to sign in to open a session. */
  needsSignIn?: boolean | undefined;
}) {
  async function find(context: Context, isLinkEnough: boolean): Promise<StoredRun> {
    const token = context.req.param('token') ?? '';
    const run = await runs.getBySessionToken(token);
    if (!run)
      throw new ApiProblem(
        'resource_not_found',
        "This link doesn't lead to a session. Check that it's complete. It may also have been revoked.",
      );
    const hasExpired = Date.now() > (run.ended_at ?? Date.now()) + linkDays * dayMs;
    if (isLinkEnough && !hasExpired) return run;
    const reader = await signIn.readerOf(context);
    if (reader && canOpen(reader, run)) return run;
    const why = hasExpired ? 'This link has expired. Sign in to open it.' : 'Sign in to open it.';
    const person = slackSignIn && (await signIn.personOf(context));
    if (person && (await slackSignIn.canSee(person, run))) return run;
    const noAccess = person ? notInSlack : wrongKey;
    const isKnown = reader !== undefined || person !== undefined;
    const page = await signIn.signInPage({
      root: rootFrom(context.req.path),
      to: `session/${token}`,
      problem: isKnown ? noAccess : why,
      offersSlack: slackSignIn !== undefined,
    });
    const res = await context.html(page, isKnown ? 403 : 401);
    throw new HTTPException(isKnown ? 403 : 401, { res });
  }

  /**
   * Returns the reader's name if they can answer the agent, otherwise the reason why they can't. Readers must sign in
   * first, because the link only lets people read.
   */
  async function answererOf(context: Context, run: StoredRun): Promise<Answerer> {
    const reader = await signIn.readerOf(context);
    if (reader) return canChange(reader, run) ? { name: reader.creator.display_name } : 'denied';
    const person = slackSignIn && (await signIn.personOf(context));
    if (!person) return 'unknown';
    const name = await slackSignIn.nameToAnswer(person, run);
    return name === undefined ? 'denied' : { name };
  }

  return {
    answererOf,
    findRun: (context: Context) => find(context, !needsSignIn),
    findRunSignedIn: (context: Context) => find(context, false),
  };
}
