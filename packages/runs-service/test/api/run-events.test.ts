import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { createLogger } from 'base/logger';
import { Hono } from 'hono';
import type { RunEvent } from 'runs-client/runs/run-events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testClient } from '../../../runs-client/test/support/api-server.ts';
import type { ChangeFeed, FeedReaderOptions } from '../../src/api/change-feed.ts';
import { createEventsRoutes } from '../../src/api/events-routes.ts';
import type { CallerVariables } from '../../src/api/keys/authentication.ts';
import type { KeyRole } from '../../src/api/keys/keyring.ts';
import { createKeyStore } from '../../src/store/key-store.ts';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

const keyOf = (uid: string, role: KeyRole) => ({
  key: `key-of-${uid}`,
  role,
  creator: { type: 'user' as const, uid, display_name: uid },
});

async function start() {
  const db = await openTestDatabase('sqlite::memory:');
  onTestFinished(() => db.destroy());
  const started = await startRunsService({
    db,
    environments: [shellEnvironment('true')],
    keys: [keyOf('ada', 'own'), keyOf('bob', 'own'), keyOf('ops', 'all'), keyOf('eyes', 'read')],
  });
  const clientOf = (uid: string) => testClient(started.service.apiUrl, { apiKey: `key-of-${uid}` });
  /** Opens a stream, and waits until it has begun. */
  async function follow(uid: string, lastEventId?: string) {
    const stop = new AbortController();
    const events = clientOf(uid).runs.events({ lastEventId, signal: stop.signal });
    onTestFinished(() => stop.abort());
    await events.next();
    const next = async (): Promise<RunEvent> => {
      const { value, done } = await events.next();
      if (done) throw new Error('the stream has ended');
      return value;
    };
    return { events, next, stop };
  }
  return { ...started, db, clientOf, follow };
}

const runOf = (event: RunEvent) => (event.type === 'change' ? event.run : undefined);

it('a stream shows the states of a run from its creation to its end', async () => {
  const { clientOf, follow } = await start();
  const { next } = await follow('eyes');
  expect((await next()).type).toBe('reset');
  const { run_id } = await clientOf('ada').runs.create({ prompt: 'x' });
  for (;;) {
    const event = await next();
    expect(runOf(event)?.run_id).toBe(run_id);
    if (runOf(event)?.state !== 'SUCCEEDED') continue;
    const { state, updated_at } = await clientOf('ada').runs.get(run_id);
    expect(runOf(event)).toEqual({ run_id, state, updated_at });
    break;
  }
});

it('a stream with a key of the role own shows only runs of its owner', async () => {
  const { clientOf, follow } = await start();
  const [bobs, all] = [await follow('bob'), await follow('ops')];
  await bobs.next();
  await all.next();
  const adas = await clientOf('ada').runs.create({ prompt: 'x' });
  expect(runOf(await all.next())?.run_id).toBe(adas.run_id);
  const { run_id } = await clientOf('bob').runs.create({ prompt: 'x' });
  expect(runOf(await bobs.next())?.run_id).toBe(run_id);
});

it('a stream continues after the last event, and begins anew after an unknown one', async () => {
  const { clientOf, follow } = await start();
  const first = await follow('ops');
  const { id } = await first.next();
  first.stop.abort();
  const { run_id } = await clientOf('ada').runs.create({ prompt: 'x' });
  const second = await follow('ops', id);
  expect(runOf(await second.next())?.run_id).toBe(run_id);
  for (const unknown of ['99999999999999', 'of-another-service', '-1'])
    expect((await (await follow('ops', unknown)).next()).type).toBe('reset');
});

it('a stream needs a key, and only ten streams of one owner are open', async () => {
  const { service, clientOf, follow } = await start();
  const rejected = await fetch(`${service.apiUrl}/agent/runs/events`);
  expect(rejected.status).toBe(401);
  const open = [];
  for (let count = 0; count < 10; count += 1) open.push(await follow('ada'));
  const eleventh = () => clientOf('ada').runs.events().next();
  await expect(eleventh()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 30_000 });
  await follow('bob');
  open[0]?.stop.abort();
  await expect.poll(async () => (await eleventh()).value).toMatchObject({ type: 'open' });
});

it('a HEAD request opens no stream', async () => {
  const { request, follow } = await start();
  for (let count = 0; count < 10; count += 1)
    await request('/agent/runs/events', {
      method: 'HEAD',
      headers: { authorization: 'Bearer key-of-ada' },
    });
  await follow('ada');
});

it('a stream ends when its key is revoked', async () => {
  const { db, service } = await start();
  const keys = createKeyStore(db);
  const row = {
    key_hash: createHash('sha256').update('key-of-eve').digest('hex'),
    prefix: 'key-of-e',
    creator_type: 'user',
    creator_uid: 'eve',
    display_name: 'Eve',
    role: 'read',
  };
  await keys.add(row);
  const events = testClient(service.apiUrl, { apiKey: 'key-of-eve' }).runs.events();
  expect((await events.next()).value).toMatchObject({ type: 'open' });
  expect((await events.next()).value).toMatchObject({ type: 'reset' });
  await keys.revoke('key-of-e');
  expect((await events.next()).done).toBe(true);
});

it('streams end in order when the service stops', async () => {
  const { service, follow } = await start();
  const { next, events } = await follow('ops');
  await next();
  const end = events.next();
  await service.stop();
  expect(await end).toEqual({ value: undefined, done: true });
});

it('a reader that goes away without a word is forgotten', async () => {
  const { service, follow } = await start();
  const { port } = new URL(service.apiUrl);
  for (let count = 0; count < 10; count += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'GET /api/v1/agent/runs/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key-of-ada\r\n\r\n',
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resetAndDestroy();
  }
  await expect.poll(() => follow('ada')).toBeDefined();
});

it('closes the connection of a reader that takes nothing', async () => {
  const destroy = vi.fn();
  const feed = {
    async *follow({ onTooSlow }: FeedReaderOptions) {
      onTooSlow();
      yield [];
    },
  };
  const routes = createEventsRoutes({
    feed: feed as unknown as ChangeFeed,
    authenticate: async () => undefined,
    stopping: new AbortController().signal,
    logger: createLogger('silent'),
  });
  const app = new Hono<{ Variables: CallerVariables }>()
    .use(async (context, next) => {
      context.set('caller', keyOf('ada', 'own'));
      await next();
    })
    .route('/', routes);
  const answer = await app.request('/agent/runs/events', {}, { outgoing: { destroy } });
  expect(await answer.text()).toBe('');
  expect(destroy).toHaveBeenCalledOnce();
});
