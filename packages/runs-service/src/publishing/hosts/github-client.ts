import type { Octokit } from '@octokit/rest';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { createOctokit, githubProblem, statusOf } from './github-api.ts';
import { type AppTokens, appTokenKey, createAppToken, refusedCall } from './github-app-token.ts';
import { readSecretFile } from './secret-files.ts';

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
      throw githubProblem(plan.project, error, app && refusedCall(app.id, plan.project));
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
