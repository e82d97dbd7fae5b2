import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PublishConfig } from 'runs-service/environments/publish-config';
import { describe, expect, it } from 'vitest';
import {
  type GitServer,
  startGitServer,
} from '../../../packages/runs-service/test/support/code-hosts/git-server.ts';
import { startGithubServer } from '../../../packages/runs-service/test/support/code-hosts/github-server.ts';
import { startGitlabServer } from '../../../packages/runs-service/test/support/code-hosts/gitlab-server.ts';
import {
  commitActions,
  descriptionActions,
  titleActions,
} from '../../../packages/runs-service/test/support/code-hosts/host-actions.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../../../packages/runs-service/test/support/runs-service.ts';

const title =
  'Draft: Fixes #1, closes acme/app#2 for @acme/team [skip ci] Closes PROJ-7 ***NO_CI***';

const answer = `I did it. @acme/team, please look: closes acme/app#5, Closes PROJ-7.

/ready
/target_branch release
/assign @mallory

<img src="https://evil.test/x.png"><!-- hidden -->
![track](https://evil.test/y.png) [skip ci]

Co-authored-by: Mallory <mallory@evil.test>
Signed-off-by: Mallory <mallory@evil.test>`;

/** Trailers that the runs service adds to the commit. */
const ourTrailers = ['Requested-by: Ada'];

/** Runs an agent that changes a file and gives this answer. Returns the message of the published commit. */
async function published(server: GitServer, publish: PublishConfig, token: string) {
  const tokenFile = join(temporaryFolder(), 'token');
  writeFileSync(tokenFile, token);
  const script = `echo three >> notes.txt; cat <<'EOF'\n${answer}\nEOF`;
  const environment = shellEnvironment(script, {
    repositories: [{ url: server.url, name: 'acme/app' }],
    publish: { mode: 'pull_request', token_file: tokenFile, ...publish },
  });
  const service = await startRunsService({ environments: [environment] });
  const id = await service.begin({ prompt: 'p', title });
  const run = await service.until(id, 'SUCCEEDED', 'FAILED');
  expect(run.publication).toMatchObject({ state: 'published' });
  return server.git('log', '-1', '--format=%B', run.publication?.branch ?? '');
}

describe('what an agent writes does nothing where it is published', () => {
  it('on GitHub', async () => {
    const server = await startGitServer();
    const github = await startGithubServer(server);
    const publish = { host: 'github', api_url: github.apiUrl } as const;
    const message = await published(server, publish, 'token-of-app');
    const [pull] = github.pulls;
    expect(titleActions(pull?.title ?? '')).toEqual([]);
    expect(descriptionActions(pull?.body ?? '')).toEqual([]);
    expect(commitActions(message)).toEqual(ourTrailers);
  });

  it('on GitLab', async () => {
    const token = 'glpat-token-of-app';
    const server = await startGitServer({ login: `oauth2:${token}` });
    const gitlab = await startGitlabServer(server, token);
    const publish = { host: 'gitlab', api_url: gitlab.apiUrl } as const;
    const message = await published(server, publish, token);
    const [request] = gitlab.mergeRequests;
    expect(titleActions(request?.title ?? '')).toEqual([]);
    expect(descriptionActions(request?.description ?? '')).toEqual([]);
    expect(commitActions(message)).toEqual(ourTrailers);
  });
});
