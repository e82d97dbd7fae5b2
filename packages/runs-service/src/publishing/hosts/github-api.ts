import { Octokit } from '@octokit/rest';
import { readableLine } from 'base/readable-text';
import { PublishProblem } from '../publish-problem.ts';
import { type ExplainRejection, hostProblem, unreachable } from './host-problem.ts';

const nothing = () => undefined;
/**
 * Logger for Octokit that prints nothing. Otherwise, Octokit would log every rejected request and every unchanged
 * response. The service's own log has what matters.
 */
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

type Options = {
  baseUrl: string;
  auth?: string;
  request?: { signal: AbortSignal };
};

export const createOctokit = (options: Options): Octokit => new Octokit({ ...options, log });

const host = 'GitHub';

type AnsweredError = {
  status: number;
  message: string;
  response?: { headers: Record<string, string>; data?: unknown };
};

/**
 * Returns true for Octokit's error class. Checks the name, because each Octokit package has its own copy of the class.
 */
const isAnswered = (error: unknown): error is AnsweredError =>
  error instanceof Error && error.name === 'HttpError';

export const statusOf = (error: unknown) => (isAnswered(error) ? error.status : undefined);

/** Returns GitHub's explanation, including `errors`, which often has the actual reason. */
export function reasonOf(error: unknown): string {
  if (!isAnswered(error)) return String(error);
  const { message = error.message, errors = [] } = (error.response?.data ?? {}) as {
    message?: string;
    errors?: (string | { message?: string; field?: string })[];
  };
  const details = errors.map((each) =>
    typeof each === 'string' ? each : (each.message ?? `"${each.field}" is wrong`),
  );
  return [message, ...details].join('; ');
}

/**
 * Turns an error of a GitHub call into a problem with advice.
 * @param explain explains rejections if the environment has a GitHub App instead of a token
 */
export function githubProblem(
  project: string,
  error: unknown,
  explain?: ExplainRejection,
): unknown {
  if (error instanceof PublishProblem) return error;
  if (!isAnswered(error)) {
    if (error instanceof Error && error.name === 'GraphqlResponseError')
      return new PublishProblem(`${host} rejected the request: ${readableLine(error.message)}`, {
        cause: error,
      });
    if (error instanceof Error && error.name === 'AbortError') return unreachable(host, error);
    return error;
  }
  if (!error.response) return unreachable(host, error);
  const { status, response } = error;
  const answer = { status, headers: response.headers, message: reasonOf(error) };
  return hostProblem(host, project, answer, explain);
}
