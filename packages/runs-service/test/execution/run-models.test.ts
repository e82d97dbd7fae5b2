import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import { describe, expect, it } from 'vitest';
import { shellEnvironment, temporaryFolder } from '../support/runs-service.ts';
import { executorBed, openedModels, runToken } from './executor-bed.ts';

const withModels = (script: string, more = {}) =>
  shellEnvironment(script, {
    models: ['anthropic'],
    providers: [{ name: 'anthropic', api: 'anthropic' }],
    ...more,
  });

const sentence = 'Spending cap of $5.00 reached.';

describe('a run with models', () => {
  it('opens them before the agent starts, and closes them once after it ended', async () => {
    const models = openedModels();
    const bed = await executorBed(withModels('true'), models.openModels);
    expect(await bed.execute()).toMatchObject({ state: 'SUCCEEDED' });
    expect(models.requests).toMatchObject([{ listenOn: 'port', environment: { id: 'shell' } }]);
    expect(models.closed()).toBe(1);
  });

  it('opens none for an environment without models', async () => {
    const models = openedModels();
    const bed = await executorBed(shellEnvironment('true'), models.openModels);
    expect(await bed.execute()).toMatchObject({ state: 'SUCCEEDED' });
    expect(models.requests).toEqual([]);
  });

  it('masks the token in the output and the changes', async () => {
    const models = openedModels();
    const script = `echo "${runToken}" | tee -a notes.txt`;
    const bed = await executorBed(withModels(script), models.openModels);
    await bed.execute();
    expect(bed.output()).toContain('[secret]');
    expect(bed.output() + bed.patch()).not.toContain(runToken);
  });

  it('ends as failed when its spending is stopped, and keeps its changes', async () => {
    const models = openedModels();
    const started = join(temporaryFolder(), 'started');
    const script = `echo three >> notes.txt; touch ${started}; exec sleep 3600`;
    const bed = await executorBed(withModels(script), models.openModels);
    const ended = bed.execute();
    await expect.poll(() => existsSync(started)).toBe(true);
    models.stop(sentence);
    expect(await ended).toEqual({
      state: 'FAILED',
      status: { message: sentence, error_code: 'budget_exceeded', retryable: false },
    });
    expect(bed.patch()).toContain('+three');
    expect(models.closed()).toBe(1);
  });

  it.each(['true', 'echo "402 the cap"; exit 1'])(
    'ends with the reason if the agent ends itself after a rejected call: %s',
    async (script) => {
      const models = openedModels();
      models.rejectCalls(sentence);
      const bed = await executorBed(withModels(script), models.openModels);
      expect(await bed.execute()).toMatchObject({
        state: 'FAILED',
        status: { message: sentence, error_code: 'budget_exceeded' },
      });
    },
  );

  it.each([
    ['a secret without its file', { secret_files: { TOKEN: '/gone' } }],
    ['a failing setup', { setup: [['false']] }],
  ])('never leaves its models open after %s', async (_, more) => {
    const models = openedModels();
    const bed = await executorBed(withModels('true', more), models.openModels);
    expect(await bed.execute()).toMatchObject({ state: 'FAILED' });
    expect(models.closed()).toBe(models.requests.length);
  });

  it('fails with the reason if they cannot be opened', async () => {
    const bed = await executorBed(withModels('true'), async () => {
      throw new ExplainedError('No gateway here.');
    });
    expect(await bed.execute()).toMatchObject({
      state: 'FAILED',
      status: { message: 'No gateway here.', error_code: 'environment_setup_failed' },
    });
  });

  it('closes them when the run is canceled', async () => {
    const models = openedModels();
    const canceling = new AbortController();
    const bed = await executorBed(withModels('exec sleep 3600'), models.openModels);
    const ended = bed.execute(canceling.signal);
    await expect.poll(() => models.requests.length).toBe(1);
    canceling.abort('canceled');
    expect(await ended).toMatchObject({ state: 'CANCELLED' });
    expect(models.closed()).toBe(1);
  });
});
