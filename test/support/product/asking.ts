import { join } from 'node:path';
import { createDemoEnvironments } from 'demo/create-demo-environments';
import {
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { demoAgent } from '../../../packages/runs-service/test/support/service/demo-agent.ts';
import { startProduct } from './product.ts';

/** Starts a product with the demo's agent, which asks questions, on a separate runs service. */
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
