import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import type { Octokit } from '@octokit/rest';
import type { LRUCache } from 'lru-cache';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { createOctokit, githubProblem, statusOf } from './github-api.ts';
import type { ExplainRefusal } from './host-problem.ts';
import { readSecretFile } from './publish-login.ts';

/** Tokens by server, app and repository. */
export type AppTokens = LRUCache<string, string>;

export const appTokenKey = ({ apiUrl, project, config }: PublishPlan): string =>
  `${apiUrl} ${config.app?.id} ${project}`;

/** A token must outlast the calls that it's read for. */
const spareMs = 5 * 60_000;

/** A new token of a GitHub App for this one repository. GitHub ends it after an hour. */
export async function createAppToken(
  plan: PublishPlan,
  app: NonNullable<PublishPlan['config']['app']>,
  tokens: AppTokens,
  signal: AbortSignal,
): Promise<string> {
  const { apiUrl: baseUrl, project } = plan;
  const [owner = '', repo = ''] = project.split('/');
  const findInstallation = async (jwt: string): Promise<number> => {
    const { apps } = createOctokit({ baseUrl, auth: jwt, request: { signal } });
    const found = apps.getRepoInstallation({ owner, repo });
    return (await found.catch(explained(plan, refusedLookup(app.id, project)))).data.id;
  };
  const privateKey = await readSecretFile(app.private_key_file, 'private_key_file');
  assertKey(privateKey);
  const request = createOctokit({ baseUrl, request: { signal } }).request;
  const auth = createAppAuth({ appId: app.id, privateKey, request });
  const installationId =
    app.installation_id ?? (await findInstallation((await auth({ type: 'app' })).token));
  const creation = auth({ type: 'installation', installationId, repositoryNames: [repo] });
  const { token, expiresAt } = await creation.catch(
    explained(plan, refusedToken(app.id, project, installationId)),
  );
  const ttl = Date.parse(expiresAt) - Date.now() - spareMs;
  if (ttl > 0) tokens.set(appTokenKey(plan), token, { ttl });
  return token;
}

const refusedKey = (id: number) =>
  `GitHub rejected the app. Check that "app.id" (${id}) is the ID of the GitHub App and that "private_key_file" is one of its keys.`;

const explained = (plan: PublishPlan, explain: ExplainRefusal) => (error: unknown) => {
  throw githubProblem(plan.project, error, explain);
};

/** Explains why GitHub doesn't name the installation. */
const refusedLookup =
  (id: number, project: string): ExplainRefusal =>
  (status) => {
    if (status === 401) return refusedKey(id);
    if (status !== 404) return undefined;
    return `The GitHub App ${id} isn't installed for ${project}. Install it there, or add the repository to its installation.`;
  };

/** Explains why GitHub gives no token of the installation. */
const refusedToken =
  (id: number, project: string, installation: number): ExplainRefusal =>
  (status, words) => {
    if (status === 401) return refusedKey(id);
    if (status === 404)
      return `The GitHub App ${id} has no installation ${installation}. Check "app.installation_id", or leave it out.`;
    if (status === 422)
      return `Installation ${installation} of the GitHub App ${id} can't use ${project}: ${words}. Add the repository to the installation.`;
    if (status !== 403) return undefined;
    return `GitHub gives no token for installation ${installation} of the GitHub App ${id}: ${words}. Check the installation in GitHub's settings.`;
  };

/** Explains why GitHub rejects a call with a token of the installation. */
export const refusedCall =
  (id: number, project: string): ExplainRefusal =>
  (status, words) => {
    const who = `the installation of the GitHub App ${id}`;
    if (status === 401) return `GitHub rejected the token of ${who}. The next try gets a new one.`;
    if (status === 403)
      return `GitHub doesn't let ${who} do this in ${project}: ${words}. Give the app write access to contents and pull requests, and accept that in the installation.`;
    if (status !== 404) return undefined;
    return `GitHub has no ${project}, or ${who} can't see it. Check the repository's URL, and add it to the installation.`;
  };

function assertKey(text: string): void {
  try {
    createPrivateKey(text);
  } catch (cause) {
    throw new PublishProblem(
      'The file of "private_key_file" under "publish" isn\'t a private key. Download a new one from the page of the app.',
      { cause },
    );
  }
}

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
