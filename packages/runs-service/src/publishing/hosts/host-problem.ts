import { readableLine } from 'base/readable-text';
import { PublishProblem } from '../publish-problem.ts';

type HostAnswer = {
  status: number;
  headers: Record<string, string | number | undefined>;
  /** Error message from the server. */
  message: string;
};

const maxReasonCharacters = 300;
/** Time to wait after a rate limit if the response names no time, in ms. GitHub recommends a minute. */
const secondaryLimitMs = 60_000;

/** Function that explains why a host rejected a GitHub App. Returns undefined if the general explanation applies. */
export type ExplainRejection = (status: number, reason: string) => string | undefined;

/** Explains an error answer of a code host, with advice. */
export function hostProblem(
  host: string,
  project: string,
  answer: HostAnswer,
  explain?: ExplainRejection,
): PublishProblem {
  const { status } = answer;
  const reason = readableLine(answer.message).slice(0, maxReasonCharacters);
  const retryAfterMs = waitOf(answer);
  if (status === 429 || (status === 403 && retryAfterMs !== undefined))
    return new PublishProblem(`${host} limits requests at the moment.`, {
      isTemporary: true,
      retryAfterMs: retryAfterMs ?? secondaryLimitMs,
    });
  if (status === 409 || status === 423)
    return new PublishProblem(`${host} is busy with ${project}: ${reason}`, { isTemporary: true });
  if (status >= 500 || status === 408)
    return new PublishProblem(`${host} failed with status ${status}.`, {
      isTemporary: true,
      retryAfterMs,
    });
  return new PublishProblem(explain?.(status, reason) ?? lasting(host, project, status, reason));
}

function lasting(host: string, project: string, status: number, reason: string): string {
  switch (status) {
    case 401:
      return `${host} rejected the token. Check the token under "publish" of the environment, or make a new one.`;
    case 403:
      return `${host} doesn't let the token do this in ${project}: ${reason}. Give it write access to contents and pull requests.`;
    case 404:
      return `${host} has no ${project}, or the token can't see it. Check the repository's URL and the token's access.`;
    case 422:
    case 400:
      return `${host} rejected the pull request: ${reason}. Change its title, base or reviewers, then try again.`;
    default:
      return `${host} answered with status ${status}: ${reason}. Check "api_url" under "publish".`;
  }
}

/** Returns the time to wait if a rate limit was reached, in ms. */
function waitOf({ headers, message }: HostAnswer): number | undefined {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && after >= 0) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  if (remaining !== undefined && Number(remaining) === 0 && reset > 0)
    return Math.max(1_000, reset * 1000 - Date.now());
  return /secondary rate limit|abuse detection/i.test(message) ? secondaryLimitMs : undefined;
}

/** Returns the problem for a merge that the host rejected, for example because of conflicts. */
export const mergeRejected = (host: string, reason: string, cause?: unknown): PublishProblem =>
  new PublishProblem(
    `${host} rejected the merge: ${readableLine(reason).slice(0, maxReasonCharacters)}`,
    {
      cause,
    },
  );

/** Returns the problem for a host that didn't answer. It's temporary. */
export const unreachable = (host: string, cause: unknown): PublishProblem =>
  new PublishProblem(`Can't reach ${host}.`, { isTemporary: true, cause });
