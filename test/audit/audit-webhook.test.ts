import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished } from 'vitest';
import { createAuditWebhook } from '../../src/audit/audit-webhook.ts';
import { createAudit } from '../../src/store/audit/audit.ts';
import { openTestDatabase } from '../support/database/databases.ts';

type Sent = { entries: { id: string; action: string; details: { position: number } }[] };

/** Starts a webhook that rejects this number of calls, then accepts all. */
async function startWebhook(rejections: number) {
  const calls: Sent[] = [];
  let left = rejections;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push(JSON.parse(body));
    left -= 1;
    response.writeHead(left >= 0 ? 503 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { calls, url: `http://127.0.0.1:${port}/hook` };
}

const logger = createLogger('silent');

it('sends every entry in order until the webhook takes it, and never again after a restart', async () => {
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const audit = createAudit(db);
  const note = (action: string) =>
    audit.note({ teamId: 'T1', actorId: 'U1', action, entity: { type: 'run', id: 'r' } });
  for (let count = 0; count < 120; count += 1) await note('run_started');
  const { calls, url } = await startWebhook(1);
  const start = () => {
    const worker = createAuditWebhook({ audit, url, logger });
    worker.start();
    onTestFinished(() => worker.stop());
    return worker;
  };
  const worker = start();
  const waiting = async () => {
    // Wake the worker now, because it waits some seconds after a rejected call.
    worker.wake();
    return audit.unsent(1);
  };
  await expect.poll(waiting).toEqual([]);
  await worker.stop();
  const [rejected, ...taken] = calls;
  expect(rejected?.entries).toEqual(taken[0]?.entries);
  const positions = taken.flatMap(({ entries }) => entries.map(({ details }) => details.position));
  expect(positions).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));

  await note('run_tried_again');
  start();
  await expect.poll(() => calls.at(-1)?.entries[0]?.action).toBe('run_tried_again');
  expect(calls.at(-1)?.entries).toEqual([
    {
      id: expect.any(String),
      date_create: expect.any(Number),
      action: 'run_tried_again',
      actor: { type: 'user', user: { id: 'U1' } },
      entity: { type: 'run', run: { id: 'r' } },
      context: { location: { type: 'workspace', id: 'T1' } },
      details: { position: 121 },
    },
  ]);
});
