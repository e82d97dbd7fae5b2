import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import type { LRUCache } from 'lru-cache';
import { readSecretFile } from '../git/remote-access.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { createOctokit } from './octokit.ts';

/** By server, app and repository. */
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
    return (await apps.getRepoInstallation({ owner, repo })).data.id;
  };
  const privateKey = await readSecretFile(app.private_key_file, 'private_key_file');
  assertKey(privateKey);
  const request = createOctokit({ baseUrl, request: { signal } }).request;
  const auth = createAppAuth({ appId: app.id, privateKey, request });
  const installationId =
    app.installation_id ?? (await findInstallation((await auth({ type: 'app' })).token));
  const { token, expiresAt } = await auth({
    type: 'installation',
    installationId,
    repositoryNames: [repo],
  });
  const ttl = Date.parse(expiresAt) - Date.now() - spareMs;
  if (ttl > 0) tokens.set(appTokenKey(plan), token, { ttl });
  return token;
}

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
