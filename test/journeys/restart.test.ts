import { describe, expect, it } from 'vitest';
import { general, runMessageShowing, startProduct } from '../support/product.ts';

describe('a bot that stops and starts again', () => {
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
        headers: { authorization: 'Bearer test-key-of-ada' },
      })
    ).json();
    const { run_id: runId } = (runs as { runs: { run_id: string }[] }).runs[0] ?? { run_id: '' };
    await fetch(`${service.apiUrl}/agent/runs/${runId}/cancel`, {
      method: 'POST',
      headers: { authorization: 'Bearer test-key-of-ada' },
    });
    const after = await runMessageShowing(workspace, 'Cancelled');
    expect(after.ts).toBe(before.ts);
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
    const posted = workspace
      .messagesIn(general)
      .filter(({ botId }) => botId === workspace.bot.botId);
    expect(posted).toHaveLength(1);
    const answer = await fetch(`${service.apiUrl}/agent/runs`, {
      headers: { authorization: 'Bearer test-key-of-ada' },
    });
    expect((await answer.json()) as object).toMatchObject({ runs: [{}] });
  });
});
