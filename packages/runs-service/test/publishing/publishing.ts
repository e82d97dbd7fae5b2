import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from 'runs-client/contract';
import { expect, onTestFinished } from 'vitest';
import type { PublishConfig } from '../../src/environments/publish-config.ts';
import { type GitServerOptions, startGitServer } from '../support/code-hosts/git-server.ts';
import { startGithubServer } from '../support/code-hosts/github-server.ts';
import { openTestDatabase } from '../support/databases.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../support/runs-service.ts';

export type PublishingOptions = GitServerOptions & {
  publish?: PublishConfig;
  /** More environments for the same repository, by their IDs. */
  variants?: Record<string, PublishConfig>;
};

/** Starts a service whose environment publishes to a git server and a GitHub API. */
export async function startPublishing(
  script: string,
  { publish, variants = {}, ...git }: PublishingOptions = {},
) {
  const server = await startGitServer(git);
  const github = await startGithubServer(server);
  const tokenFile = join(temporaryFolder(), 'token');
  writeFileSync(tokenFile, 'token-of-app');
  const repositories = [{ url: server.url, name: 'acme/app' }];
  const usual: PublishConfig = {
    mode: 'pull_request',
    host: 'github',
    api_url: github.apiUrl,
    token_file: tokenFile,
    ...publish,
  };
  const environments = Object.entries({ shell: {}, ...variants }).map(([id, more]) =>
    shellEnvironment(script, { id, repositories, publish: { ...usual, ...more } }),
  );
  const db = await openTestDatabase('sqlite::memory:');
  const service = await startRunsService({ environments, db });
  onTestFinished(async () => {
    await service.service.stop();
    await db.destroy();
  });
  return { server, github, service, db, tokenFile };
}

export async function ended(service: StartedService, body: object): Promise<Run> {
  const id = await service.begin(body);
  return service.until(id, 'SUCCEEDED', 'FAILED');
}

export const publish = (service: StartedService, id: string, body: object = {}) =>
  service.request(`/agent/runs/${id}/publish`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export const settled = async (service: StartedService, id: string): Promise<Run> => {
  await expect
    .poll(async () => (await service.get(id)).publication?.state)
    .toMatch(/published|failed/);
  return service.get(id);
};

export const act = (service: Pick<StartedService, 'request'>, id: string, action: string) =>
  service.request(`/agent/runs/${id}/pull-request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action }),
  });

/** Makes the service poll its pull requests now, and waits until it has. */
export async function pollNow({ db, github }: Awaited<ReturnType<typeof startPublishing>>) {
  const before = github.seen.length;
  await db.updateTable('service_publications').set({ due_at: 1 }).execute();
  await expect
    .poll(async () => {
      const row = await db
        .selectFrom('service_publications')
        .select(['lease_owner', 'due_at'])
        .executeTakeFirstOrThrow();
      return github.seen.length > before && row.lease_owner === null && row.due_at !== 1;
    })
    .toBe(true);
}

/** Returns the data of the run's pull request artifact. */
export const pullRequestOf = ({ artifacts }: Pick<Run, 'artifacts'>): object | undefined =>
  artifacts?.find(({ artifact_type: type }) => type === 'PULL_REQUEST')?.data ?? undefined;
