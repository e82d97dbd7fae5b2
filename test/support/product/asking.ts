import { join } from 'node:path';
import { createDemoEnvironments } from '../../../src/runs-service/demo/create-demo-environments.ts';
import { startRunsService, temporaryFolder, testKey } from '../runs-service.ts';
import { demoAgent } from '../service/demo-agent.ts';
import { startProduct } from './product.ts';

/** A product with the demo's agent, which asks, on a runs service of its own. */
export async function startAskingProduct(
  workspaceChanges: Parameters<typeof startProduct>[1] = {},
) {
  const environments = await createDemoEnvironments({
    folder: join(temporaryFolder(), 'demo'),
    agent: demoAgent(),
  });
  const asking = await startRunsService({ environments });
  const product = await startProduct({}, workspaceChanges);
  await product.startBot({ runsApi: { baseUrl: asking.service.apiUrl, apiKey: testKey } });
  return { ...product, asking };
}
