import { expect, it } from 'vitest';
import { runMessageShowing, textOf } from '../../support/product/product.ts';
import { pullRequest, startChangedRun } from './changed-run.ts';

it('two people on two replicas create one pull request, even if the answer is lost', async () => {
  const { workspace, ada, grace, api, shows, opens } = await startChangedRun({ replicas: 2 });
  await opens(ada, 'pull-request:create', 'Reviewers');
  await opens(grace, 'pull-request:create', 'Reviewers');
  api.answersPosts(0);
  shows({ state: 'offered' });
  const answers = await Promise.all([ada.submits({ title: 'A' }), grace.submits({ title: 'B' })]);
  expect(answers.map((each) => textOf(each)).filter((text) => text !== '{}')).toEqual([
    expect.stringContaining('Someone already requested this.'),
  ]);
  await expect.poll(() => api.posted.length).toBeGreaterThan(0);
  shows({ state: 'published' }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  expect(api.posted).toHaveLength(1);
});
