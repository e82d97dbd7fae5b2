import { readableLine } from 'base/readable-text';
import { PublishProblem } from '../publish-problem.ts';

type HostAnswer = {
  status: number;
  headers: Record<string, string | number | undefined>;
  /** Text from the server. */
  message: string;
};

const maxWords = 300;
/** GitHub asks for this when it names no time. */
const secondaryLimitMs = 60_000;

/** Explains a rejection where no token of the environment is used. Undefined if the usual explanation applies. */
export type ExplainRefusal = (status: number, words: string) => string | undefined;

/** Explains an error answer of a code host, with advice. */
export function hostProblem(
  host: string,
  project: string,
  answer: HostAnswer,
  explain?: ExplainRefusal,
): PublishProblem {
  const { status } = answer;
  const words = readableLine(answer.message).slice(0, maxWords);
  const retryAfterMs = waitOf(answer);
  if (status === 429 || (status === 403 && retryAfterMs !== undefined))
    return new PublishProblem(`${host} limits requests at the moment.`, {
      mayPass: true,
      retryAfterMs: retryAfterMs ?? secondaryLimitMs,
    });
  if (status === 409 || status === 423)
    return new PublishProblem(`${host} is busy with ${project}: ${words}`, { mayPass: true });
  if (status >= 500 || status === 408)
    return new PublishProblem(`${host} failed with status ${status}.`, {
      mayPass: true,
      retryAfterMs,
    });
  return new PublishProblem(explain?.(status, words) ?? lasting(host, project, status, words));
}

function lasting(host: string, project: string, status: number, words: string): string {
  switch (status) {
    case 401:
      return `${host} refused the token. Check the token under "publish" of the environment, or make a new one.`;
    case 403:
      return `${host} doesn't let the token do this in ${project}: ${words}. Give it write access to contents and pull requests.`;
    case 404:
      return `${host} has no ${project}, or the token can't see it. Check the repository's URL and the token's access.`;
    case 422:
    case 400:
      return `${host} refused the pull request: ${words}. Change its title, base or reviewers, then try again.`;
    default:
      return `${host} answered with status ${status}: ${words}. Check "api_url" under "publish".`;
  }
}

/** Returns the time to wait, if the answer says that there were too many requests. */
function waitOf({ headers, message }: HostAnswer): number | undefined {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && after >= 0) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  const remaining = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'];
  if (remaining !== undefined && Number(remaining) === 0 && reset > 0)
    return Math.max(1_000, reset * 1000 - Date.now());
  return /secondary rate limit|abuse detection/i.test(message) ? secondaryLimitMs : undefined;
}

/** The host's rules or conflicts are in the way. */
export const refusedMerge = (host: string, words: string, cause?: unknown): PublishProblem =>
  new PublishProblem(`${host} refused to merge: ${readableLine(words).slice(0, maxWords)}`, {
    cause,
  });

/** No answer came. */
export const unreachable = (host: string, cause: unknown): PublishProblem =>
  new PublishProblem(`Can't reach ${host}.`, { mayPass: true, cause });
