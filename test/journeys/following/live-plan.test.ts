import { expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { testKey } from '../../support/runs-service.ts';

const started = { started_at: '2026-11-01T12:00:00Z' };
const progress = (done: number) => ({
  ...started,
  agent_progress: {
    plan: ['Find <!channel>', 'Fix *it*', 'Test'].map((title, index) => ({
      title,
      state: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    })),
  },
});

it('a run message shows the plan while the run goes on, in words where Slack refuses plans, and a line at the end', async () => {
  const stub = await startApiStub();
  stub.answers('INPROGRESS', progress(0));
  const product = await startedProduct({ runsApi: { baseUrl: stub.baseUrl, apiKey: testKey } });
  const { ada, workspace } = product;
  await ada.types(general, '/agent run go');

  const first = await runMessageShowing(workspace, 'Step 1 of 3: Find <!channel>');
  expect(first.blocks?.find(({ type }) => type === 'plan')).toMatchObject({
    tasks: [
      { task_id: '1', title: 'Find <!channel>', status: 'in_progress' },
      { task_id: '2', title: 'Fix *it*', status: 'pending' },
      { task_id: '3', title: 'Test', status: 'pending' },
    ],
  });
  expect(textOf(first)).toContain('*In progress* since <!date^1793534400^{time} ({ago})|');
  // The plan changes nothing else in the message, so it isn't the result that people look for.
  expect(first.text).toBe('In progress: go');

  await workspace.faults.inject({
    name: 'error_answer',
    method: 'chat.update',
    error: 'invalid_blocks',
  });
  stub.answers('INPROGRESS', progress(1));
  const plain = await runMessageShowing(workspace, '✅ Done: Find &lt;!channel&gt;');
  expect(textOf(plain)).not.toContain('"type":"plan"');

  stub.answers('SUCCEEDED', progress(2));
  const ended = await runMessageShowing(workspace, 'Plan: 2 of 3 steps');
  expect(textOf(ended)).toContain('*Succeeded*');
  expect(textOf(ended)).not.toContain('Find');
  expect(ended.ts).toBe(first.ts);
});
