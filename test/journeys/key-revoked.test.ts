import { describe, expect, it } from 'vitest';
import { sendJson, startApiServer } from '../support/api-server.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../support/product.ts';
import { testKey } from '../support/runs-service.ts';

/** Stands before the runs service and refuses the key while it is revoked. */
async function startGate(target: string) {
  let isRevoked = false;
  const { baseUrl } = await startApiServer(async (response, { method, url, headers, body }) => {
    if (isRevoked) return sendJson(response, 401, { detail: 'this key was revoked' });
    const { authorization, 'idempotency-key': key } = headers;
    const answer = await fetch(new URL(target).origin + url, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: String(authorization),
        ...(key !== undefined && { 'idempotency-key': String(key) }),
      },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    sendJson(response, answer.status, await answer.json());
  });
  return {
    baseUrl,
    revoke: (revoked: boolean) => {
      isRevoked = revoked;
    },
  };
}

describe('a key that is revoked while a run goes on', () => {
  it('is said with who must do what, and the message heals by itself when the key is mended', async () => {
    const { workspace, service, startBot, ada } = await startProduct();
    const gate = await startGate(service.apiUrl);
    await startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
    await ada.types(general, '/agent run wait');
    await runMessageShowing(workspace, 'In progress');
    gate.revoke(true);
    const told = await runMessageShowing(workspace, 'refused our API key');
    expect(textOf(told)).toContain('An admin must set a valid RUNS_API_KEY');
    expect(textOf(told)).toContain('Nothing heard since');
    gate.revoke(false);
    const healed = await workspace.until(
      () => {
        const message = runMessageIn(workspace);
        return textOf(message).includes('refused our API key') ? undefined : message;
      },
      { timeoutMs: 25_000 },
    );
    expect(healed.ts).toBe(told.ts);
    expect(textOf(healed)).toContain('In progress');
    // Followed again: the end is shown too.
    await ada.clicks({ channelId: general, messageTs: healed.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Cancelled');
  });
});
