import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import type { Octokit } from '@octokit/rest';
import type { LRUCache } from 'lru-cache';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { createOctokit, githubProblem, statusOf } from './github-api.ts';
import type { ExplainRejection } from './host-problem.ts';
import { readSecretFile } from './publish-login.ts';

/** Cache of tokens by server, app and repository. */
export type AppTokens = LRUCache<string, string>;

export const appTokenKey = ({ apiUrl, project, config }: PublishPlan): string =>
  `${apiUrl} ${config.app?.id} ${project}`;

/** Min remaining lifetime of a cached token, in ms, so that it outlasts a call. */
const spareMs = 5 * 60_000;

/** Creates a GitHub App token for this repository only. It expires after an hour. */
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
    return (await found.catch(explained(plan, explainLookup(app.id, project)))).data.id;
  };
  const privateKey = await readSecretFile(app.private_key_file, 'private_key_file');
  assertKey(privateKey);
  const request = createOctokit({ baseUrl, request: { signal } }).request;
  const auth = createAppAuth({ appId: app.id, privateKey, request });
  const installationId =
    app.installation_id ?? (await findInstallation((await auth({ type: 'app' })).token));
  const creation = auth({ type: 'installation', installationId, repositoryNames: [repo] });
  const { token, expiresAt } = await creation.catch(
    explained(plan, explainToken(app.id, project, installationId)),
  );
  const ttl = Date.parse(expiresAt) - Date.now() - spareMs;
  if (ttl > 0) tokens.set(appTokenKey(plan), token, { ttl });
  return token;
}

const explainKey = (id: number) =>
  `GitHub rejected the app. Check that "app.id" (${id}) is the ID of the GitHub App and that "private_key_file" is one of its keys.`;

const explained = (plan: PublishPlan, explain: ExplainRejection) => (error: unknown) => {
  throw githubProblem(plan.project, error, explain);
};

/** Returns a function that explains why GitHub doesn't find the app's installation. */
const explainLookup =
  (id: number, project: string): ExplainRejection =>
  (status) => {
    if (status === 401) return explainKey(id);
    if (status !== 404) return undefined;
    return `The GitHub App ${id} isn't installed for ${project}. Install it there, or add the repository to its installation.`;
  };

/** Returns a function that explains why GitHub creates no token for the installation. */
const explainToken =
  (id: number, project: string, installation: number): ExplainRejection =>
  (status, reason) => {
    if (status === 401) return explainKey(id);
    if (status === 404)
      return `The GitHub App ${id} has no installation ${installation}. Check "app.installation_id", or leave it out.`;
    if (status === 422)
      return `Installation ${installation} of the GitHub App ${id} can't use ${project}: ${reason}. Add the repository to the installation.`;
    if (status !== 403) return undefined;
    return `GitHub gives no token for installation ${installation} of the GitHub App ${id}: ${reason}. Check the installation in GitHub's settings.`;
  };

/** Returns a function that explains why GitHub rejects a call with the installation's token. */
export const explainCall =
  (id: number, project: string): ExplainRejection =>
  (status, reason) => {
    const who = `the installation of the GitHub App ${id}`;
    if (status === 401) return `GitHub rejected the token of ${who}. The next try gets a new one.`;
    if (status === 403)
      return `GitHub doesn't let ${who} do this in ${project}: ${reason}. Give the app write access to contents and pull requests, and accept that in the installation.`;
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

/**
 * Creates a client that reads the token for every call, because operators replace tokens. Calls throw `PublishProblem`.
 */
export function createGithubClient(plan: PublishPlan, tokens: AppTokens) {
  const { app, token_file: file } = plan.config;

  async function within<T>(
    signal: AbortSignal,
    work: (request: { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    try {
      return await work({ signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]) });
    } catch (error) {
      throw githubProblem(plan.project, error, app && explainCall(app.id, plan.project));
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
        // Remove a rejected token from the cache, because it was revoked early, for example when the app was
        // installed again.
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
