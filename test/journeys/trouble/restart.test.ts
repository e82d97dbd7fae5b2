import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  opensModal,
  picks,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
} from '../../support/product/product.ts';

it('a bot that stops and starts again continues to follow a run, on the same message', async () => {
  const { workspace, service, startBot, ada } = await startProduct();
  const bot = await startBot();
  await ada.types(general, '/agent run wait for me');
  const before = await runMessageShowing(workspace, 'In progress');
  await bot.stop();
  await startBot();
  const { request } = clientOf(service.apiUrl);
  const { runs } = (await (await request('/agent/runs')).json()) as { runs: { run_id: string }[] };
  await request(`/agent/runs/${runs[0]?.run_id}/cancel`, { method: 'POST' });
  const after = await runMessageShowing(workspace, 'Canceled');
  expect(after.ts).toBe(before.ts);
});

it('a click is lost by no restart: it is acknowledged when what it asks for is stored', async () => {
  const { workspace, ada, config } = await startedProduct();
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  const stored = () => db.selectFrom('requests').selectAll().orderBy('accepted_at').execute();
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const at = { channelId: general, messageTs: message.ts };
  await picks({ workspace }, ada, at, 'Stop updates');
  expect(await stored()).toMatchObject([{ unfollowed_at: expect.any(Number) }]);
  await runMessageShowing(workspace, 'run-message:follow-again');
  await ada.clicks(at, 'run-message:follow-again');
  await runMessageShowing(workspace, 'run:cancel');
  await ada.clicks(at, 'run:cancel');
  expect(await stored()).toMatchObject([{ cancel_asked_by: ada.person.id }]);
  await runMessageShowing(workspace, 'Canceled');
  await ada.clicks(at, 'run:again');
  expect(await stored()).toHaveLength(2);
});

it('one message is posted although the answer to the first post was lost', async () => {
  const { workspace, ada } = await startedProduct();
  await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  await ada.types(general, '/agent run count');
  await runMessageShowing(workspace, 'Succeeded');
  expect(runMessagesIn(workspace)).toHaveLength(1);
});

it('the creator is told directly when the app can no longer post in the channel', async () => {
  const product = await startedProduct();
  const { workspace, ada } = product;
  await opensModal(product, ada, '/agent count');
  const rejected = { method: 'chat.postMessage', error: 'is_archived' } as const;
  await workspace.faults.inject({ name: 'error_answer', ...rejected });
  await ada.submits();
  await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
  expect(runMessageIn(workspace)).toBeUndefined();
});
