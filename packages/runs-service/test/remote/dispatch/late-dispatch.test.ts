import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createDispatchPoller } from '../../../src/remote/dispatch/dispatch-poller.ts';
import { createExecuteRemotely } from '../../../src/remote/dispatch/execute-remotely.ts';
import { createStores } from '../../../src/store/stores.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { aDispatch, runnerOf, testCluster, testSignal } from '../../support/kubernetes/runner.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

const logger = createLogger('silent');
const isAborted = { yes: AbortSignal.abort(), no: new AbortController().signal };

/** Follows a canceled run whose first service died while it sent the Job. */
async function adopted({ isSent, knows }: { isSent: boolean; knows: keyof typeof isAborted }) {
  const cluster = await testCluster({ hasKubelet: false });
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const stores = createStores(db);
  const { id } = await stores.runs.create(aServiceRun({ environment_id: 'pods' }));
  const lease = { owner: 'me', forMs: 60_000 };
  await stores.runs.change(id, ['QUEUED'], { state: 'INPROGRESS', cancel_requested: 1, lease });
  await stores.dispatches.begin(id, 1, {
    token: 'token',
    tokenHash: 'hash',
    modelTokenHash: 'hash for models',
  });
  if (isSent) await stores.dispatches.accepted(id, 1);
  const run = await stores.runs.get(id);
  if (!run) throw new Error('the run is gone');
  const dispatch = aDispatch(id);
  const runner = runnerOf(cluster);
  const poller = createDispatchPoller(stores.dispatches, logger);
  poller.start();
  onTestFinished(() => poller.stop());
  const execute = createExecuteRemotely({
    stores,
    poller,
    owner: 'me',
    logger,
    publish: async () => undefined,
    environments: () => [dispatch.environment],
    runnerFor: () => runner,
    serviceUrl: () => 'http://service.example',
  });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const end = execute(run, { canceled: isAborted[knows], leaving: leaving.signal });
  const requests = (method: string) =>
    cluster.server.requests.filter((each) => each.startsWith(`${method} `) && each.includes(id));
  return { cluster, runner, dispatch, end, requests };
}

it.each([
  ['after its run was canceled', 'DELETE', { isSent: false, knows: 'yes' }],
  ['after it seemed to be deleted', 'GET', { isSent: true, knows: 'no' }],
] as const)('a Job that arrives late, %s, is deleted', async (_, method, given) => {
  const { cluster, runner, dispatch, end, requests } = await adopted(given);
  await expect.poll(() => requests(method)).not.toEqual([]);
  await runner.dispatch(dispatch, testSignal());
  expect(cluster.jobs()).toHaveLength(1);
  expect(await end).toEqual({ state: 'CANCELLED' });
  await expect.poll(cluster.jobs).toEqual([]);
});
