import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keyHash } from '../../../src/api/keys/keyring.ts';
import type { ApiProblem } from '../../../src/api/problem.ts';
import { createWorkerAccess } from '../../../src/remote/dispatch/worker-access.ts';
import { workerHeader } from '../../../src/remote/protocol.ts';
import type { StoredDispatch } from '../../../src/store/dispatches.ts';
import type { StoredRun } from '../../../src/store/runs.ts';
import { startS3Server } from '../../support/network/s3-server.ts';
import { aReport as report, twoRuns } from './two-runs.ts';

const aRun = (id: string) => ({ id, state: 'INPROGRESS' }) as StoredRun;
const anAttempt = (id: string) =>
  ({
    run_id: id,
    worker: 'worker-1',
    token_hash: keyHash('token'),
    end_json: null,
  }) as StoredDispatch;

describe('the process of a run', () => {
  it('keeps a bounded number of notes, changes and files', async () => {
    const { ids, call, db } = await twoRuns();
    const [one = ''] = ids;
    await call(one, '/start');
    const kept = 5_000;
    await db
      .updateTable('service_dispatches')
      .set({ events: kept - 3 })
      .execute();
    const events = Array.from({ length: 10 }, (_, n) => ({ note: `note ${n}` }));
    const sent = await call(one, '/report', { body: report({ from: kept - 3, events }) });
    expect(await sent.json()).toMatchObject({ next: kept + 7 });
    const more = await call(one, '/report', { body: report({ from: kept + 7, events }) });
    expect(await more.json()).toMatchObject({ next: kept + 17 });
    const changes = () =>
      db.selectFrom('service_run_changes').selectAll().where('run_id', '=', one).execute();
    const notes = (await changes()).flatMap(({ note }) => (note === null ? [] : [note]));
    expect(notes.slice(-3)).toEqual(['note 0', 'note 1', 'Later notes are left out']);

    const before = (await changes()).length;
    const announcing = report({ announce: { usage: { total_tokens: 3 } } });
    const beganAt = Date.now();
    await Promise.all(events.map(() => call(one, '/report', { body: announcing })));
    await expect.poll(async () => (await changes()).length).toBeGreaterThan(before);
    // Changes are announced at most once a second.
    const announced = (await changes()).length - before;
    expect(announced).toBeLessThanOrEqual(1 + (Date.now() - beganAt) / 1_000);

    const put = async (n: number) => {
      const name = `content-${n.toString(16).padStart(64, '0')}`;
      return (await call(one, `/files/${name}?offset=0`, { method: 'PUT', body: '' })).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 55; n += 1) statuses.push(await put(n));
    expect(statuses.filter((status) => status === 200)).toHaveLength(53);
    expect([statuses.at(-1), await put(0)]).toEqual([413, 200]);
  });

  it('is answered a few requests at once, and names its files a few times', async () => {
    const { ids, call, request } = await twoRuns();
    const [one = '', two = ''] = ids;
    await call(one, '/start');
    const waiting = Array.from({ length: 8 }, () =>
      call(one, '/report', { body: report({ wait_seconds: 60 }) }),
    );
    const statusOf = async (id: string, path: string, body: string) =>
      (await call(id, path, { body })).status;
    await expect.poll(() => statusOf(one, '/report', report())).toBe(429);
    expect(await statusOf(two, '/start', '{}')).toBe(200);
    await request(`/agent/runs/${one}/cancel`, { method: 'POST' });
    for (const each of waiting) expect((await each).status).toBe(200);

    const none = JSON.stringify({ artifacts: [] });
    for (let named = 0; named < 10; named += 1)
      expect(await statusOf(two, '/artifacts', none)).toBe(200);
    expect(await statusOf(two, '/artifacts', none)).toBe(429);
  });

  it('is answered 1,200 requests a minute, whatever the others send', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const access = createWorkerAccess({
      runs: { get: async (id) => aRun(id) },
      dispatches: {
        of: async ([id = '']) => [anAttempt(id)],
        claim: async () => true,
        noteReport: async () => undefined,
      },
    });
    const app = new Hono().use('/dispatched/:run/*', access);
    app.get('/dispatched/:run/x', (context) => context.text('ok'));
    app.onError((error) => new Response(null, { status: (error as ApiProblem).status }));
    const headers = { authorization: 'Bearer token', [workerHeader]: 'worker-1' };
    const send = async (run: string) =>
      (await app.request(`/dispatched/${run}/x`, { headers })).status;
    const statuses: number[] = [];
    for (let sent = 0; sent < 1_500; sent += 1) statuses.push(await send('one'));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1_200);
    expect(statuses.slice(1_200)).toEqual(Array(300).fill(429));
    expect(await send('two')).toBe(200);
    vi.advanceTimersByTime(50);
    expect([await send('one'), await send('one')]).toEqual([200, 429]);
  });

  it('closes questions when their environment says so, however long a pod would wait', async () => {
    const { ids, call, get } = await twoRuns();
    const [one = ''] = ids;
    await call(one, '/start');
    const ask = (question: object) =>
      call(one, '/questions', { body: JSON.stringify({ question }) });
    const question = { text: 'Go on?', options: [] };
    const expiryOf = async () =>
      Date.parse((await get(one)).agent_progress?.question?.expires_at ?? '') - Date.now();
    for (const [id, expires_at] of Object.entries({ late: '9999-01-01T00:00:00Z', odd: 'never' })) {
      expect((await ask({ ...question, id, expires_at })).status).toBe(200);
      expect(await expiryOf()).toBeGreaterThan(25 * 60_000);
      expect(await expiryOf()).toBeLessThanOrEqual(30 * 60_000);
      await call(one, `/questions/${id}/close`, { body: '{"note":"x"}' });
    }
    await ask({ ...question, id: 'soon', expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect(await expiryOf()).toBeLessThanOrEqual(5_000);
  });

  it('can repeat the end of a file when the store was away, which leaves nothing behind', async () => {
    const server = await startS3Server();
    const { ids, call, dataDir } = await twoRuns({ artifactsBucket: server.place });
    const [one = ''] = ids;
    await call(one, '/start');
    const body = 'a content';
    const name = createHash('sha256').update(body).digest('hex');
    await call(one, `/files/content-${name}?offset=0`, { method: 'PUT', body });
    const finish = () => call(one, `/files/content-${name}`, { body: '{"bytes":9}' });
    await server.stop();
    expect((await finish()).status).toBe(500);
    expect(readdirSync(join(dataDir, 'artifacts'))).toEqual([]);
    await startS3Server(server);
    // Send the request twice, because its reply can get lost.
    for (const _ of [1, 2]) expect(await (await finish()).json()).toEqual({ missing: false });
    expect(server.keys()).toEqual([`of/runs/${name}`]);
    expect(readdirSync(join(dataDir, 'artifacts'))).toEqual([]);
  });
});
