import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { openHome, startElsewhere } from '../../support/product/home.ts';
import { textOf } from '../../support/product/product.ts';

const creator = (uid: string, display_name: string) =>
  ({ type: 'service_account', uid, display_name }) as const;
const keys = [
  { key: 'key-of-the-bot', role: 'all', creator: creator('bot', 'slash-agent') },
  { key: 'key-of-nightly', role: 'own', creator: creator('s-1', 'Nightly builds') },
  { key: 'key-of-release', role: 'own', creator: creator('s-2', 'Release service') },
] as const;

async function openWithCreators() {
  const environments = [shellEnvironment('echo done', { default: true })];
  const { service } = await startRunsService({ environments, keys });
  const runsApi = { baseUrl: service.apiUrl, apiKey: 'key-of-the-bot' };
  const home = await openHome('ada', { runsApi });
  await startElsewhere(service.apiUrl, ['Build the app'], 'key-of-nightly');
  await startElsewhere(service.apiUrl, ['Ship the app'], 'key-of-release');
  return { ...home, service };
}

it('runs of a creator outside Slack are found by the name that the service gives, which Home remembers, or by an ID that was never seen', async () => {
  const { until, clicks, searches, text, ada, workspace } = await openWithCreators();
  await clicks('home:creator', 'api');
  await until('home:api-creator');
  const [byHand] = await searches('home:api-creator', 's-3');
  await clicks('home:api-creator', byHand);
  await until('No runs started outside Slack by this creator');

  const all = await searches('home:api-creator', '');
  expect(all.map((option) => textOf(option)).join()).toMatch(/Nightly builds.*Release service/s);
  const [nightly] = await searches('home:api-creator', 'nightly');
  await clicks('home:api-creator', nightly);
  await until('Build the app');
  await workspace.until(() => !text().includes('Ship the app'));
  await ada.opensHome();
  await until('Build the app');
  expect(text()).toContain('"text":"Nightly builds"');
});
