import type { Octokit } from '@octokit/rest';
import { readableLine } from '../../../lib/readable-text.ts';
import { readSecretFile } from '../git/remote-access.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { type AppTokens, appTokenKey, createAppToken } from './github-app-token.ts';
import { hostProblem, unreachable } from './host-problem.ts';
import { createOctokit } from './octokit.ts';

const host = 'GitHub';
const callTimeoutMs = 20_000;

export const repositoryOf = ({ project }: PublishPlan): { owner: string; repo: string } => {
  const [owner = '', repo = ''] = project.split('/');
  return { owner, repo };
};

export type GithubCall = <T>(
  signal: AbortSignal,
  work: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<T>,
) => Promise<T>;

/** Every call reads the token, because operators renew it. @throws PublishProblem */
export function createGithubClient(plan: PublishPlan, tokens: AppTokens) {
  const { app, token_file: file } = plan.config;

  async function within<T>(
    signal: AbortSignal,
    work: (request: { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    try {
      return await work({ signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]) });
    } catch (error) {
      throw problemOf(plan.project, error);
    }
  }
  const newToken = (signal: AbortSignal): Promise<string | undefined> =>
    within(signal, async (request) => {
      if (app) return createAppToken(plan, app, tokens, request.signal);
      return file === undefined ? undefined : readSecretFile(file, 'token_file');
    });
  const keptToken = async (signal: AbortSignal) =>
    tokens.get(appTokenKey(plan)) ?? (await newToken(signal)) ?? needsToken();

  const call: GithubCall = async (signal, work) => {
    const auth = await keptToken(signal);
    return within(signal, async (request) => {
      try {
        return await work(createOctokit({ baseUrl: plan.apiUrl, auth }), request);
      } catch (error) {
        // Revoked before its end, such as when an app is installed again.
        if (statusOf(error) === 401) tokens.delete(appTokenKey(plan));
        throw error;
      }
    });
  };
  return { newToken, call };
}

function needsToken(): never {
  throw new PublishProblem(
    'A pull request on GitHub needs a token. Set "token_file" or "app" under "publish" of the environment.',
  );
}

type AnsweredError = {
  status: number;
  message: string;
  response?: { headers: Record<string, string>; data?: unknown };
};

/** Octokit's packages each have their own copy of the error class. */
const isAnswered = (error: unknown): error is AnsweredError =>
  error instanceof Error && error.name === 'HttpError';

export const statusOf = (error: unknown) => (isAnswered(error) ? error.status : undefined);

/** GitHub says what is wrong in `errors`, if it has more than one sentence to say. */
export function wordsOf(error: unknown): string {
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

function problemOf(project: string, error: unknown): unknown {
  if (error instanceof PublishProblem) return error;
  if (!isAnswered(error)) {
    if (error instanceof Error && error.name === 'GraphqlResponseError')
      return new PublishProblem(`${host} refused: ${readableLine(error.message)}`, {
        cause: error,
      });
    if (error instanceof Error && error.name === 'AbortError') return unreachable(host, error);
    return error;
  }
  if (!error.response) return unreachable(host, error);
  const { status, response } = error;
  return hostProblem(host, project, { status, headers: response.headers, message: wordsOf(error) });
}
