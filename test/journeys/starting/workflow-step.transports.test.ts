import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const person = 'U04ADALOVEL';

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
    await workspace.until(() => step.status === 'succeeded');
    expect(step.outputs).toMatchObject({ state: 'SUCCEEDED' });
    expect(String(step.outputs?.['link'])).toMatch(/^http/);
  });

  it('fails with the reason when the run fails', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'fail now', channel: general, person };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed');
    expect(step.error).toContain('the tests do not pass');
  });

  it('fails with the reason of the service when no run could be started', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'go', channel: general, person, environment: 'nowhere' };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed');
    expect(step.error).toContain('shell');
  });

  it.each([
    ['where the app may not post', { prompt: 'go', channel: 'C04MANAGERS' }, '/invite @agent'],
    ['in an unknown channel', { prompt: 'go', channel: 'C0NOWHERE00' }, '/invite @agent'],
    ['without a channel', { prompt: 'go', channel: '' }, 'channel'],
    ['without a prompt', { prompt: '  ', channel: general }, 'prompt'],
    ['without anything', { prompt: '', channel: '' }, 'prompt, channel'],
  ])('fails with what to fix %s and starts nothing', async (_, inputs, reason) => {
    const { workspace } = await startedProduct();
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed');
    expect(step.error).toContain(reason);
    expect(runMessageIn(workspace)).toBeUndefined();
  });

  it('is acknowledged when Slack no longer knows it', async () => {
    const { workspace } = await startedProduct();
    const step = { callback_id: 'run_agent' };
    const event = { type: 'function_executed', function: step, function_execution_id: 'Fx1' };
    const payload = { type: 'event_callback', event_id: 'Ev1', team_id: workspace.team.id, event };
    const answer = await workspace.deliver({ kind: 'events_api', payload });
    expect(answer).toMatchObject({ acked: true });
  });

  it('fails with the limit that was reached', async () => {
    const product = await startedProduct({ limits: { runsPerDay: undefined, liveRuns: 1 } });
    const { workspace, ada } = product;
    await ada.types(general, '/agent run wait for me');
    await runMessageShowing(workspace, 'In progress');
    const step = await workspace.runsWorkflowStep('run_agent', {
      prompt: 'go',
      channel: general,
      person,
    });
    await workspace.until(() => step.status === 'failed');
    expect(step.error).toContain('LIVE_RUNS');
  });

  it('fails with the daily limit, which counts for the workflow and not for the person', async () => {
    const product = await startedProduct({ limits: { runsPerDay: 1, liveRuns: undefined } });
    const { workspace, ada } = product;
    const runs = (workflow: string) =>
      workspace.runsWorkflowStep('run_agent', {
        prompt: 'go',
        channel: general,
        wait: false,
        person,
        workflow,
      });
    const first = await runs('Nightly');
    await workspace.until(() => first.status === 'succeeded');
    const second = await runs('Nightly');
    await workspace.until(() => second.status === 'failed');
    expect(second.error).toContain('This workflow has started 1 run ');
    const other = await runs('Weekly');
    await workspace.until(() => other.status === 'succeeded');
    await ada.types(general, '/agent run title="By Ada" go');
    await runMessageShowing(workspace, 'By Ada');
  });

  it('completes at once when it does not wait', async () => {
    const { workspace } = await startedProduct();
    const inputs = { prompt: 'wait for me', channel: general, person, wait: false };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'succeeded');
    expect(String(step.outputs?.['run_id'])).not.toBe('');
  });

  it('is completed by a bot that was restarted meanwhile', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const inputs = { prompt: 'count', channel: general, person };
    const step = await product.workspace.runsWorkflowStep('run_agent', inputs);
    await bot.stop();
    await product.startBot();
    await product.workspace.until(() => step.status === 'succeeded');
  });
});
