import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createDemoEnvironments } from 'demo/create-demo-environments';
import { describe, expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';
import { demoAgent } from '../support/service/demo-agent.ts';

describe('a run', () => {
  it('succeeds if the agent exits with 0, and saves its output and changes', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment('cat; echo "$AGENT_PROMPT" >> notes.txt; echo new > new.txt'),
      ],
    });
    const id = await service.begin({ prompt: 'hello agent' });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({ state: 'SUCCEEDED', prompt: 'hello agent', title: 'hello agent' });
    expect(run).not.toHaveProperty('request_usage');
    const transcript = join(service.dataDir, 'transcripts', id);
    expect(readFileSync(join(transcript, 'output.log'), 'utf8')).toBe('hello agent');
    const patch = readFileSync(join(transcript, 'changes.patch'), 'utf8');
    expect(patch).toContain('+hello agent');
    expect(patch).toContain('+++ b/new.txt');
    expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  });

  it('works with a relative data folder', async () => {
    const dataDir = relative(process.cwd(), temporaryFolder());
    const environments = await createDemoEnvironments({
      folder: join(dataDir, 'demo'),
      agent: { command: ['cat', 'README.md'] },
    });
    const service = await startRunsService({ environments, dataDir });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
  });

  it('fails with the last lines of output', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('echo starting; echo "the tests are red" >&2; exit 3')],
    });
    const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('FAILED');
    expect(run.status_message?.message).toBe('the tests are red\n(The agent exited with code 3.)');
  });

  it('works with the demo agent in the demo environment', async () => {
    const dataDir = temporaryFolder();
    const agent = demoAgent();
    const folder = join(dataDir, 'demo');
    const environments = await createDemoEnvironments({ folder, agent });
    expect(await createDemoEnvironments({ folder, agent })).toEqual(environments);
    const service = await startRunsService({ environments, dataDir });
    const counting = await service.begin({ prompt: 'count the TODO comments' });
    const failing = await service.begin({ prompt: 'fail with the moon is full' });
    expect(await service.until(counting, 'SUCCEEDED', 'FAILED')).toMatchObject({
      state: 'SUCCEEDED',
      agent_config: { environment_id: 'demo' },
    });
    const output = readFileSync(join(dataDir, 'transcripts', counting, 'output.log'), 'utf8');
    expect(output).toContain('This is the demo agent.');
    expect(output).toContain('TODO comments in');
    const failed = await service.until(failing, 'SUCCEEDED', 'FAILED');
    expect(failed.state).toBe('FAILED');
    expect(failed.status_message?.message).toContain('the moon is full');
    expect(existsSync(join(dataDir, 'work', failing))).toBe(false);
  });
});
