import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { createRunsClient } from 'runs-client';
import { defaultPath } from 'runs-service/execution/files/run-files';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../runs-service/test/support/runs-service.ts';
import { createDemoEnvironments } from '../src/create-demo-environments.ts';
import { startGitHost } from '../src/git-host/git-host.ts';

const addLine = ['sh', '-c', 'echo "<b>Batteries</b> checked in $AGENT_RUN_ID" >> README.md'];

/** Starts the demo's git host with a run that changed the README, and opens its pull request. */
async function startDemo() {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, 'demo');
  const where = { host: '127.0.0.1', port: 0, path: defaultPath, logger: createLogger('silent') };
  await createDemoEnvironments({ folder, agent: { command: addLine } });
  const host = await startGitHost({ folder, ...where });
  onTestFinished(host.stop);
  const publish = { mode: 'ask', host: 'github', merge: true } as const;
  const environments = await createDemoEnvironments({
    folder,
    agent: { command: addLine },
    publish: { ...publish, api_url: host.apiUrl, token_file: host.tokenFile },
  });
  const service = await startRunsService({ environments, dataDir });
  const client = createRunsClient({ baseUrl: service.service.apiUrl, apiKey: testKey });
  onTestFinished(() => client.close());
  const publishRun = async () => {
    const id = await service.begin({ prompt: 'add a line', title: 'Add a line' });
    await service.until(id, 'SUCCEEDED');
    await client.runs.publish(id, {});
    await expect.poll(async () => (await publicationOf(id))?.state).toBe('published');
    return id;
  };
  const publicationOf = async (id: string) => (await client.runs.get(id)).publication;
  return { service, client, host, folder, where, publishRun, publicationOf };
}

const isPullRequest = ({ artifact_type: type }: { artifact_type: string }) =>
  type === 'PULL_REQUEST';

const stateOf = async (page: string) =>
  /state-\w+"><span class="dot"><\/span>(\w+)/.exec(page)?.[1];

describe("the demo's git host", () => {
  it('shows a pull request of a run, and merges it from its page', async () => {
    const { publishRun, publicationOf, host, folder, where, service } = await startDemo();
    const id = await publishRun();
    const url = (await publicationOf(id))?.url ?? '';
    expect(new URL(url).pathname).toBe('/demo/field-notes/pull/1');

    const page = await (await fetch(url)).text();
    expect(await stateOf(page)).toBe('Open');
    expect(page).toContain('&lt;b&gt;Batteries&lt;/b&gt; checked in');
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const merge = (headers = {}) => fetch(`${url}/merge`, { method: 'POST', headers });
    expect((await merge(foreign)).status).toBe(403);
    expect(await stateOf(await (await fetch(url)).text())).toBe('Open');
    expect(await stateOf(await (await merge()).text())).toBe('Merged');
    expect(await stateOf(await (await merge()).text())).toBe('Merged');

    await host.stop();
    const again = await startGitHost({ folder, ...where });
    onTestFinished(again.stop);
    const kept = `${again.apiUrl.replace(/api$/, '')}demo/field-notes/pull/1`;
    expect(await stateOf(await (await fetch(kept)).text())).toBe('Merged');

    const next = await service.begin({ prompt: 'add another' });
    expect((await service.until(next, 'SUCCEEDED')).agent_progress?.changes?.files).toBe(1);
  });

  it('merges what people asked for in Slack', async () => {
    const { publishRun, publicationOf, client } = await startDemo();
    const id = await publishRun();
    await expect.poll(async () => (await publicationOf(id))?.actions).toContain('merge');
    await client.runs.changePullRequest(id, 'merge');
    const pullRequest = async () =>
      (await client.runs.get(id)).artifacts?.find(isPullRequest)?.data;
    await expect.poll(pullRequest).toMatchObject({ state: 'merged' });
  });

  it('says that both changed the same line', async () => {
    const { publishRun, publicationOf } = await startDemo();
    const urls: string[] = [];
    for (const id of [await publishRun(), await publishRun()])
      urls.push((await publicationOf(id))?.url ?? '');
    const merge = async (url = '') => (await fetch(`${url}/merge`, { method: 'POST' })).text();
    expect(await stateOf(await merge(urls[0]))).toBe('Merged');
    const page = await merge(urls[1]);
    expect(await stateOf(page)).toBe('Open');
    expect(page).toContain('Merge conflict');
  });

  it('answers its API only with the token', async () => {
    const { host } = await startDemo();
    expect((await fetch(`${host.apiUrl}/repos/demo/field-notes/pulls`)).status).toBe(401);
  });
});
