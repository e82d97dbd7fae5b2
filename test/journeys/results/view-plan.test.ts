import { expect, it } from 'vitest';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';

const plan = {
  sessionUpdate: 'plan',
  entries: [
    { content: 'Read the notes', status: 'completed', priority: 'low' },
    { content: 'Use password=hunter2hunter2', status: 'pending', priority: 'low' },
  ],
};

it('the plan of a run opens from Details, masked, for those who see the run', async () => {
  const said = JSON.stringify(plan);
  const environments = [shellEnvironment(`echo '${said}'`, { default: true })];
  const { service } = await startRunsService({ environments });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  const product = await startedProduct({ runsApi });
  const { ada, workspace } = product;
  await ada.types(general, '/agent run make a plan');
  const message = await runMessageShowing(workspace, 'Succeeded');
  await ada.clicks({ channelId: general, messageTs: message.ts }, 'run:details');
  const details = await workspace.until(() => {
    const shown = ada.modal();
    return textOf(shown?.content).includes('View plan') ? shown : undefined;
  });
  await ada.clicks({ view: details }, 'plan:view');
  const shown = await workspace.until(() => {
    const content = textOf(ada.modal()?.content);
    return content.includes('Read the notes') ? content : undefined;
  });
  expect(shown).toContain('[x] Read the notes');
  expect(shown).not.toContain('hunter2');
});
