import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { describeOverBoth } from '../../support/product/delivery.ts';
import {
  general,
  picks,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

describeOverBoth('a bot that stops and starts again', () => {
  it('goes on following a run that was going, on the same message', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    const bot = await startBot();
    await ada.types(general, '/agent wait for me');
    await workspace.until(() => ada.modal());
    await ada.submits();
    const before = await runMessageShowing(workspace, 'In progress');
    await bot.stop();
    await startBot();
    const runs = await (
      await fetch(`${service.apiUrl}/agent/runs`, {
        headers: { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' },
      })
    ).json();
    const { run_id: runId } = (runs as { runs: { run_id: string }[] }).runs[0] ?? { run_id: '' };
    await fetch(`${service.apiUrl}/agent/runs/${runId}/cancel`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' },
    });
    const after = await runMessageShowing(workspace, 'Canceled');
    expect(after.ts).toBe(before.ts);
  });

  it('posts one message although the answer to the first post was lost', async () => {
    const { workspace, startBot, ada } = await startProduct();
    await startBot();
    workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    await ada.submits();
    await runMessageShowing(workspace, 'Succeeded');
    const posted = runMessagesIn(workspace);
    expect(posted).toHaveLength(1);
  });

  it('starts one run although the submission was delivered twice', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    await startBot();
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    workspace.faults.inject({ name: 'delivered_twice', kind: 'interactive' });
    await ada.submits();
    await runMessageShowing(workspace, 'Succeeded');
    await workspace.settled();
    const posted = runMessagesIn(workspace);
    expect(posted).toHaveLength(1);
    const answer = await fetch(`${service.apiUrl}/agent/runs`, {
      headers: { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' },
    });
    expect((await answer.json()) as object).toMatchObject({ runs: [{}] });
  });

  it('loses no click: one is acknowledged when what it asks for is stored', async () => {
    const product = await startProduct({ databaseUrl: await createPostgresDatabase() });
    const { workspace, startBot, ada, config } = product;
    await startBot();
    const db = await openTestDatabase(config.databaseUrl);
    onTestFinished(() => db.destroy());
    const stored = () => db.selectFrom('requests').selectAll().orderBy('accepted_at').execute();
    await ada.types(general, '/agent run wait');
    const message = await runMessageShowing(workspace, 'In progress');
    const at = { channelId: general, messageTs: message.ts };
    await picks({ workspace }, ada, at, 'Stop following');
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

  it('tells the creator directly when it can no longer post in the channel', async () => {
    const { workspace, startBot, ada } = await startProduct();
    await startBot();
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    workspace.faults.inject({
      name: 'error_answer',
      method: 'chat.postMessage',
      error: 'is_archived',
    });
    await ada.submits();
    await runMessageShowing(workspace, 'Succeeded', ada.directChannelId);
    expect(runMessageIn(workspace)).toBeUndefined();
    expect(textOf(runMessageIn(workspace, ada.directChannelId))).toContain('Succeeded');
  });
});
