import { describe, expect, it } from 'vitest';
import { startApiGate } from '../../support/network/api-gate.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { testKey } from '../../support/runs-service.ts';

const revoked = { status: 401, body: { detail: 'this key was revoked' } };

describe('a key that is revoked while a run goes on', () => {
  it('is said with who must do what, and the message heals by itself when the key is mended', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    const gate = await startApiGate(service.apiUrl);
    await startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
    await ada.types(general, '/agent run wait');
    await runMessageShowing(workspace, 'In progress');
    gate.answer(() => revoked);
    const told = await runMessageShowing(workspace, "rejected the app's API key");
    expect(textOf(told)).toContain('set a valid RUNS_API_KEY');
    expect(textOf(told)).toContain('No updates since');
    gate.pass();
    const healed = await workspace.until(() => {
      const message = runMessageIn(workspace);
      return textOf(message).includes("rejected the app's API key") ? undefined : message;
    });
    expect(healed.ts).toBe(told.ts);
    expect(textOf(healed)).toContain('In progress');
    // Followed again: the end is shown too.
    await ada.clicks({ channelId: general, messageTs: healed.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');
  });
});
