import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  general,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const key = 'key-of-the-bot-0123456789abcdefghijklm';
const creator = { type: 'service_account', uid: 'bot', display_name: 'Bot' } as const;

async function startWith(role: 'all' | 'own', readsEmail: boolean) {
  const environments = [shellEnvironment('true', { default: true })];
  const keys = [{ key, role, creator }];
  const started = await startRunsService({ environments, keys });
  const runsApi = { baseUrl: started.service.apiUrl, apiKey: key };
  const product = await startedProduct({ runsApi, onBehalfOf: 'email' }, {}, readsEmail);
  const headers = { authorization: `Bearer ${key}` };
  const creators = async () => {
    const answer = await started.request('/agent/runs', { headers });
    const { runs } = (await answer.json()) as { runs: { creator: { uid: string } }[] };
    return runs.map((run) => run.creator.uid);
  };
  return { ...product, creators };
}

it('a run belongs to the person who starts it', async () => {
  const { workspace, creators, ada } = await startWith('all', true);
  await ada.types(general, '/agent run one');
  const message = textOf(await runMessageShowing(workspace, 'Succeeded'));
  expect(message).not.toContain('Started as the app');
  expect(await creators()).toEqual(['ada@example.com']);
});

it.each([
  ['if the service rejects, which its message says', 'own', true],
  ['without the scope', 'all', false],
] as const)("a run is the app's %s", async (_, role, readsEmail) => {
  const { ada, workspace, creators } = await startWith(role, readsEmail);
  await ada.types(general, '/agent run one');
  const message = textOf(await runMessageShowing(workspace, 'Succeeded'));
  expect(message.includes('Started as the app')).toBe(readsEmail);
  expect(await creators()).toEqual(['bot']);
});
