import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ServiceRun, ServiceRuns } from '../../../store/service/service-runs.ts';
import { ApiProblem } from '../../api/problem.ts';
import { mayOpen } from '../../api/visible-runs.ts';
import type { ReaderOf } from '../sign-in/sign-in.ts';
import { signInPage } from '../sign-in/sign-in-view.ts';

export type SessionLinkOptions = {
  /** How long after the end of its run a link opens the session without signing in. */
  sessionLinkDays?: number | undefined;
  /** Whether everyone has to sign in to open a session. */
  sessionPageLogin?: boolean | undefined;
};

export type SessionAccessOptions = SessionLinkOptions & {
  runs: Pick<ServiceRuns, 'getBySessionToken'>;
  readerOf: ReaderOf;
};

const dayMs = 86_400_000;

/** The run of a session page, for a browser that may open it: by its link, or signed in. */
export function createSessionAccess(options: SessionAccessOptions) {
  const { runs, readerOf, sessionLinkDays = 30, sessionPageLogin = false } = options;

  async function find(context: Context, needsSignIn: boolean): Promise<ServiceRun> {
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
    const problem = reader ? "Your key doesn't open this session. Sign in with another one." : why;
    const page = await signInPage({ root: '../', to: `session/${token}`, problem });
    const res = await context.html(page, reader ? 403 : 401);
    throw new HTTPException(reader ? 403 : 401, { res });
  }

  return {
    findRun: (context: Context) => find(context, sessionPageLogin),
    findRunSignedIn: (context: Context) => find(context, true),
  };
}
