import { createRunsClient } from 'runs-client';
import { expect, it } from 'vitest';
import { general, runMessagesIn, startedProduct, textOf } from '../../support/product/product.ts';
import { testKey } from '../../support/runs-service.ts';

const requests = 200;
const busy =
  /Your run is starting\. This channel is busy, so the run message appears in about \d+[^.]*\./;

it('creates every run within seconds of a crowd in one channel, and says when the messages come, to a command and a form', async () => {
  const { ada, grace, workspace, service } = await startedProduct();
  const client = createRunsClient({ baseUrl: service.apiUrl, apiKey: testKey });
  const countRuns = async () => {
    let count = 0;
    for await (const _ of client.runs.list({ limit: 100 })) count += 1;
    return count;
  };
  // Slack takes no messages, so no run can wait for its own.
  const full = { name: 'rate_limited', method: 'chat.postMessage', times: 1_000 } as const;
  await workspace.faults.inject({ ...full, retryAfterSeconds: 300 });
  await Promise.all(
    Array.from({ length: requests }, (_, n) => ada.types(general, `/agent run wait for ${n}`)),
  );
  await expect.poll(countRuns, { interval: 200 }).toBe(requests);
  expect(runMessagesIn(workspace)).toEqual([]);
  const told = ada.sees(general).filter(({ visibleTo }) => visibleTo !== undefined);
  expect(textOf(told[0])).toMatch(busy);
  expect(told.length).toBeGreaterThan(requests / 2);

  await grace.types(general, '/agent wait for me');
  await workspace.until(() => grace.modal());
  await grace.submits();
  const toldGrace = await workspace.until(() =>
    grace.sees(general).find(({ visibleTo }) => visibleTo !== undefined),
  );
  expect(textOf(toldGrace)).toMatch(busy);
  await client.close();
});
