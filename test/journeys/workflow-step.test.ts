import { describe, expect, it } from 'vitest';
import { general, runMessageShowing, startProduct, textOf } from '../support/product.ts';

const startedProduct = async () => {
  const product = await startProduct();
  await product.startBot();
  return product;
};

describe('Run agent as a step of a workflow', () => {
  it('waits for the run and gives its id, state and link to the next step', async () => {
    const { workspace, ada } = await startedProduct();
    const inputs = {
      prompt: 'count',
      channel: general,
      environment: 'shell',
      person: ada.person.id,
    };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    expect(textOf(await runMessageShowing(workspace, 'Succeeded'))).toContain(ada.person.id);
    await workspace.until(() => step.status === 'succeeded', { timeoutMs: 10_000 });
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED' });
    expect(String(step.outputs?.['link'])).toMatch(/^http/);
  });

  it('fails with the reason when the run fails', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'fail now', channel: general };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed', { timeoutMs: 10_000 });
    expect(step.error).toContain('the tests do not pass');
  });

  it('fails when no run could be started, with what the service says', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'go', channel: general, environment: 'nowhere' };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed', { timeoutMs: 10_000 });
    expect(step.error).toContain('shell');
  });

  it('goes on at once when it is told not to wait', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'wait for me', channel: general, wait: false };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'succeeded', { timeoutMs: 10_000 });
    expect(String(step.outputs?.['run_id'])).not.toBe('');
  });

  it('is finished by a bot that was started again in between', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const inputs = { prompt: 'count', channel: general };
    const step = await product.workspace.runsWorkflowStep('run_agent', inputs);
    await bot.stop();
    await product.startBot();
    await product.workspace.until(() => step.status === 'succeeded', { timeoutMs: 10_000 });
  });
});
