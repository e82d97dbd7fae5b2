import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { addsConnection, modalShowing, opensConnections } from '../support/product/connecting.ts';
import { createKeyedService } from '../support/product/keyed-service.ts';
import { startOAuthProduct } from '../support/product/oauth-product.ts';
import { general, startedProduct, type startProduct, textOf } from '../support/product/product.ts';

type Product = Pick<Awaited<ReturnType<typeof startProduct>>, 'workspace'>;

/** Types `/agent doctor` as this person. Returns the answer, which only that person sees. */
async function asks({ workspace }: Product, name: string, channelId = general): Promise<string> {
  const person = workspace.as(name);
  const seen = () =>
    workspace.messagesIn(channelId).filter(({ visibleTo }) => visibleTo === person.person.id);
  const before = seen().length;
  await person.types(channelId, '/agent doctor');
  return textOf(await workspace.until(() => seen()[before]));
}

it('finds nothing, then what broke, for admins only and without addresses', async () => {
  const product = await startedProduct();
  expect(await asks(product, 'grace')).toContain('Only workspace admins can use the doctor');
  expect(await asks(product, 'ada')).toContain('No problems found');
  const { apiUrl } = product.service;
  await product.service.stop();
  const text = await asks(product, 'ada');
  expect(text).toContain("The runs service can't be reached");
  expect(text).toContain('runs-api-unreachable');
  expect(text).not.toContain(new URL(apiUrl).host);
  await product.workspace.faults.inject({
    name: 'error_answer',
    method: 'users.info',
    error: 'fatal_error',
    times: 9,
  });
  expect(await asks(product, 'ada')).toContain("Slack can't say who you are");
});

it('names environments with a problem, without the problem itself', async () => {
  const { service } = await startRunsService({
    environments: [shellEnvironment('true', { id: 'web', command: ['/opt/secret/no-such-agent'] })],
  });
  const product = await startedProduct({ runsApi: { baseUrl: service.apiUrl, apiKey: testKey } });
  const text = await asks(product, 'ada');
  expect(text).toContain("don't work* (web)");
  expect(text).not.toContain('/opt/secret');
});

it('names the connections that no longer take the key of the workspace, and what admins can do', async () => {
  const product = await startedProduct({ connectionHosts: ['127.0.0.1'] });
  const { ada } = product;
  for (const name of ['east', 'west']) {
    const service = await createKeyedService(name);
    await opensConnections(product, ada, general);
    await addsConnection(product, ada, { name, url: service.url, key: service.adminKey, use: [] });
    await modalShowing(product, ada, 'is added');
    await ada.closesModal({ all: true });
    if (name === 'west') service.revoke(service.adminKey);
  }
  const text = await asks(product, 'ada');
  expect(text).toMatch(/have stopped working\* \(west\) {2}· {2}Replace .*`connection-fails`/);
  expect(text).not.toContain('east');
});

it('links to the page where an admin allows missing scopes', async () => {
  const product = await startOAuthProduct({ moreTeams: 1 });
  const { workspace, startBot, install, config } = product;
  const { oauth } = config.slack;
  if (!oauth) throw new Error('no OAuth');
  const older = await startBot({ oauth: { ...oauth, scopes: oauth.scopes.slice(1) } });
  await install('U06ADM0001');
  await older.stop();
  await startBot();
  const text = await asks({ workspace }, 'U06ADM0001', 'C06GEN0001');
  expect(text).toContain(
    `Slack scopes are missing* (Slack granted ${oauth.scopes.length - 1} of ${oauth.scopes.length} scopes, missing: ${oauth.scopes[0]})`,
  );
  expect(text).toContain('|Allow missing scopes>');
});
