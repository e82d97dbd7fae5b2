import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { allowsWorkflows } from '../../support/product/policy.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const person = 'U04ADALOVEL';
const inGeneral = { channel: general, person };

it('Run agent as a step of a workflow waits for the run, and fails with the reason', async () => {
  const product = await startedProduct();
  await allowsWorkflows(product);
  const { workspace, ada } = product;
  const runs = (inputs: Record<string, unknown>) => workspace.runsWorkflowStep('run_agent', inputs);
  const step = await runs({ ...inGeneral, prompt: 'count', environment: 'shell' });
  expect(textOf(await runMessageShowing(workspace, 'Succeeded'))).toContain(ada.person.id);
  await workspace.until(() => step.status === 'succeeded');
  expect(step.outputs).toMatchObject({ state: 'SUCCEEDED' });
  expect(String(step.outputs?.['link'])).toMatch(/^http/);

  for (const [inputs, reason] of [
    [{ prompt: 'fail now' }, 'the tests do not pass'],
    [{ prompt: 'go', environment: 'nowhere' }, 'shell'],
  ] as const) {
    const failed = await runs({ ...inGeneral, ...inputs });
    await workspace.until(() => failed.status === 'failed');
    expect(failed.error).toContain(reason);
  }
  const early = await runs({ ...inGeneral, prompt: 'wait for me', wait: false });
  await workspace.until(() => early.status === 'succeeded');
  expect(String(early.outputs?.['run_id'])).not.toBe('');
});

it('a step with wrong inputs fails with what to fix, and starts nothing', async () => {
  const { workspace } = await startedProduct();
  for (const [inputs, reason] of [
    [{ prompt: 'go', channel: 'C04MANAGERS' }, '/invite @agent'],
    [{ prompt: 'go', channel: 'C0NOWHERE00' }, '/invite @agent'],
    [{ prompt: '  ', channel: general }, 'wrong: prompt.'],
    [{ prompt: '', channel: '' }, 'wrong: prompt, channel.'],
  ] as const) {
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => step.status === 'failed');
    expect(step.error).toContain(reason);
  }
  expect(runMessageIn(workspace)).toBeUndefined();
  // An event for a step without inputs that the workspace doesn't know.
  const step = { callback_id: 'run_agent' };
  const event = { type: 'function_executed', function: step, function_execution_id: 'Fx1' };
  const payload = { type: 'event_callback', event_id: 'Ev1', team_id: workspace.team.id, event };
  const answer = await workspace.deliver({ kind: 'events_api', payload });
  expect(answer).toMatchObject({ acked: true });
});

it('a step fails with the limit that was reached, which is that of the workflow and not of the person', async () => {
  const product = await startedProduct({ limits: { maxRunsPerDay: 1, maxActiveRuns: 2 } });
  await allowsWorkflows(product);
  const { workspace, ada } = product;
  const runs = (workflow: string, prompt = 'go') =>
    workspace.runsWorkflowStep('run_agent', { ...inGeneral, prompt, wait: false, workflow });
  const first = await runs('Nightly');
  await workspace.until(() => first.status === 'succeeded');
  // Wait for the end, because only active runs count toward the limit.
  await runMessageShowing(workspace, 'Succeeded');
  const second = await runs('Nightly');
  await workspace.until(() => second.status === 'failed');
  expect(second.error).toContain('This workflow has started 1 run ');
  await ada.types(general, '/agent run title="By Ada" wait');
  await runMessageShowing(workspace, 'By Ada');
  const other = await runs('Weekly', 'wait');
  await workspace.until(() => other.status === 'succeeded');
  const third = await runs('Monthly');
  await workspace.until(() => third.status === 'failed');
  expect(third.error).toContain('MAX_ACTIVE_RUNS');
});

it('a step is completed by a bot that was restarted meanwhile', async () => {
  const product = await startProduct();
  const bot = await product.startBot();
  await allowsWorkflows(product);
  const inputs = { ...inGeneral, prompt: 'count' };
  const step = await product.workspace.runsWorkflowStep('run_agent', inputs);
  await bot.stop();
  await product.startBot();
  await product.workspace.until(() => step.status === 'succeeded');
});

describe('a step that Slack lets only its own token end', () => {
  const inputs = { ...inGeneral, prompt: 'count', workflow: 'Nightly' };

  it('is completed with that token while it works, which the database has only encrypted', async () => {
    const product = await startedProduct({}, { needsStepToken: true });
    await allowsWorkflows(product);
    const { workspace, config } = product;
    const step = await workspace.runsWorkflowStep('run_agent', { ...inputs, prompt: 'wait' });
    const { ts, channelId } = await runMessageShowing(workspace, 'In progress');
    expect(readDatabase(config.databaseUrl)).not.toContain(step.token);
    await product.ada.clicks({ channelId, messageTs: ts }, 'run:cancel');
    await workspace.until(() => step.status === 'failed');
    const short = await workspace.runsWorkflowStep('run_agent', inputs);
    await workspace.until(() => short.status === 'succeeded');
  });

  it('says in the thread of the run that its workflow has stopped, once the token has expired', async () => {
    const product = await startProduct({}, { needsStepToken: true, stepTokenMs: 0 });
    const { logger, lines } = createLineLogger();
    await product.startBot({}, logger);
    await allowsWorkflows(product);
    const { workspace, ada } = product;
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    const { ts } = await runMessageShowing(workspace, 'Succeeded');
    const said = () =>
      workspace
        .messagesIn(general, { thread: ts })
        .filter(
          ({ text, visibleTo }) =>
            text.includes('Nightly') && text.includes('access_denied') && !visibleTo,
        );
    const [told] = await workspace.until(() => (said().length > 0 ? said() : undefined));
    expect(told?.text).toContain(`<@${ada.person.id}>`);
    await workspace.settled();
    expect(said()).toHaveLength(1);
    expect(step.status).toBe('running');
    const logged = lines.filter(({ msg }) =>
      msg.includes('rejected the result of a workflow step'),
    );
    expect(logged).toHaveLength(1);
    expect(textOf(lines)).not.toContain(step.token);
  });
});

/** Reads all files of a SQLite database. */
function readDatabase(url: string): string {
  const file = url.slice('sqlite:'.length);
  return [file, `${file}-wal`]
    .map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : ''))
    .join('');
}
