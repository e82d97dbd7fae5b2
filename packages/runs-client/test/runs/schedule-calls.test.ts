import { expect, it } from 'vitest';
import { sendJson, startApiServer } from '../support/api-server.ts';

const nightly = { name: 'Nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up' };
const schedule = { ...nightly, id: 's/1', enabled: true, created_at: 'x', updated_at: 'x' };

/** Starts a service that fails once. */
async function startFailing() {
  let calls = 0;
  return startApiServer((response) => {
    calls += 1;
    if (calls === 1) sendJson(response, 500, {});
    else sendJson(response, 200, schedule);
  });
}

it('reads a schedule with members that are null or unknown', async () => {
  const history = { last_ran: null, next_run: '2026-11-28T03:00:00Z' };
  const more = { history, last_spawn_error: null, scope: { type: 'User' }, created_by: 7 };
  const api = await startApiServer((response) => sendJson(response, 200, { ...schedule, ...more }));
  expect(await api.client().schedules.get('s/1')).toMatchObject({
    ...schedule,
    history,
    last_spawn_error: null,
    created_by: undefined,
  });
  expect(api.received[0]?.url).toBe('/api/v1/agent/schedules/s%2F1');
  await expect(api.client().schedules.delete('..')).rejects.toMatchObject({
    code: 'invalid_request',
    sent: false,
  });
});

it('repeats a create only if the service supports keys, with the same key', async () => {
  const once = await startFailing();
  await expect(once.client().schedules.create(nightly)).rejects.toMatchObject({ status: 500 });
  expect(once.received).toHaveLength(1);
  const api = await startFailing();
  await api.client({ isIdempotent: true, maxRetries: 1 }).schedules.create(nightly);
  const keys = api.received.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/./);
  expect(keys[1]).toBe(keys[0]);
});

it('repeats a pause, because it is safe', async () => {
  const api = await startFailing();
  const paused = await api.client({ maxRetries: 1 }).schedules.pause('s/1');
  expect(paused.id).toBe('s/1');
});
