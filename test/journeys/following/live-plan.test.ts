import { expect, it } from 'vitest';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

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

it('a run message shows the plan while the run is in progress, in words where Slack rejects plans, and a line at the end', async () => {
  const { api, ada, workspace } = await stubbedProduct('INPROGRESS', progress(0));
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
  // The message's text doesn't contain the plan.
  expect(first.text).toBe('In progress: go');

  await workspace.faults.inject({
    name: 'error_answer',
    method: 'chat.update',
    error: 'invalid_blocks',
  });
  api.answers('INPROGRESS', progress(1));
  const plain = await runMessageShowing(workspace, '✅ Done: Find &lt;!channel&gt;');
  expect(textOf(plain)).not.toContain('"type":"plan"');

  api.answers('SUCCEEDED', progress(2));
  const ended = await runMessageShowing(workspace, 'Plan: 2 of 3 steps');
  expect(textOf(ended)).toContain('*Succeeded*');
  expect(textOf(ended)).not.toContain('Find');
  expect(ended.ts).toBe(first.ts);
});
