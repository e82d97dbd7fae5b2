import { createRunsClient } from 'runs-client';
import { expect, it } from 'vitest';
import { testKey } from '../../../packages/runs-service/test/support/runs-service.ts';
import { general, runMessagesIn, startedProduct, textOf } from '../../support/product/product.ts';

const requests = 8;
const busy =
  /Your run is starting\. This channel is busy, so the run message appears in about \d+[^.]*\./;

it('creates runs before Slack takes their messages, and says when those come, to a command and a form', async () => {
  const { ada, grace, workspace, service } = await startedProduct();
  const client = createRunsClient({ baseUrl: service.apiUrl, apiKey: testKey });
  const countRuns = async () => (await client.runs.list({ limit: 100 })).runs.length;
  const limited = { name: 'rate_limited', method: 'chat.postMessage' } as const;
  workspace.faults.inject({ ...limited, times: 1_000, retryAfterSeconds: 300 });
  await ada.types(general, '/agent run count 0');
  await expect.poll(countRuns).toBe(1);

  const more = Array.from({ length: requests }, (_, n) => `/agent run count ${n + 1}`);
  await Promise.all(more.map((command) => ada.types(general, command)));
  await grace.types(general, '/agent count for me');
  await workspace.until(() => grace.modal());
  await grace.submits();
  await expect.poll(countRuns).toBe(requests + 2);
  expect(runMessagesIn(workspace)).toEqual([]);
  const toldTo = (person: typeof ada) =>
    person.sees(general).filter(({ visibleTo }) => visibleTo !== undefined);
  await expect.poll(() => toldTo(ada).length).toBe(requests);
  await expect.poll(() => toldTo(grace).length).toBe(1);
  for (const told of [...toldTo(ada), ...toldTo(grace)]) expect(textOf(told)).toMatch(busy);
  await client.close();
});
