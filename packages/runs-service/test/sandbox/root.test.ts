import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { createSandboxes } from '../../src/sandbox/sandboxes.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

type Listed = { environments: { problem?: string; config: { warning?: string } }[] };

/** Returns the warning of a service with this user, and the end of a run in it. */
async function tryAs(userId: number, allowRoot: boolean) {
  const lines: string[] = [];
  const { request, begin, until } = await startRunsService({
    environments: [shellEnvironment('echo done')],
    userId,
    allowRoot,
    logger: createLogger('info', { write: (line) => void lines.push(line) }),
  });
  const listed = (await (await request('/agent/environments')).json()) as Listed;
  const run = await until(await begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
  const page = await (await fetch(run.session_link ?? '')).text();
  return { environment: listed.environments[0], run, page, log: lines.join('') };
}

const remedy = 'Give the service a user, or set RUNS_SERVICE_ALLOW_ROOT=true';
const warning = 'Agents run as root';

describe('a service that runs as root', () => {
  it('starts no agents, and says what to do in its log, in the list and as the end of runs', async () => {
    const { environment, run, log } = await tryAs(0, false);
    expect(environment?.problem).toContain(remedy);
    expect(run.state).toBe('FAILED');
    expect(run.status_message?.message).toContain(`${remedy}.`);
    expect(run.status_message?.error_code).toBe('environment_setup_failed');
    expect(log).toContain(remedy);
  });

  it('starts them if it may, and warns in its log, in the list and on the session page', async () => {
    const { environment, run, page, log } = await tryAs(0, true);
    expect(environment?.problem).toBeUndefined();
    expect(environment?.config.warning).toContain(warning);
    expect(run.state).toBe('SUCCEEDED');
    for (const text of [page, log]) expect(text).toContain(warning);
  });

  it('starts no agents in any sandbox, except the one that is a part of slash-agent', async () => {
    const path = process.env['PATH'] ?? '';
    const sandboxes = createSandboxes({
      dataDir: temporaryFolder(),
      path,
      allowRoot: false,
      userId: 0,
      logger: createLogger('silent'),
    });
    for (const isolation of ['bubblewrap', 'container', 'external', 'none'] as const)
      expect(await sandboxes.problemOf(shellEnvironment('true', { isolation }))).toContain(remedy);
    const demo = { ...shellEnvironment('true'), isBuiltIn: true } as const;
    expect(await sandboxes.problemOf(demo)).toBeUndefined();
    expect(sandboxes.warningOf(demo)).toBeUndefined();
  });
});

it('a service with a user of its own says nothing of root', async () => {
  const { environment, run, page, log } = await tryAs(1000, false);
  expect(run.state).toBe('SUCCEEDED');
  expect(environment?.problem).toBeUndefined();
  for (const text of [page, log, environment?.config.warning]) expect(text).not.toContain('root');
});
