import { Secret } from 'base/encryption/secret';
import { createLogger } from 'base/logger';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { FeedEvent, FeedReaderOptions } from '../../src/api/change-feed.ts';
import { createChangeFeed } from '../../src/api/change-feed.ts';
import { createRunFeed } from '../../src/store/run-changes.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

describeOnDatabase('the feed of changes', (database) => {
  beforeEach(async () => {
    await database().deleteFrom('service_runs').execute();
  });

  const runs = () => createRuns(database());
  const create = async (creator_uid = 'ada') =>
    (await runs().create(aServiceRun({ creator_uid }))).id;
  const change = (id: string) => runs().change(id, ['QUEUED'], { note: 'changed' });

  function startFeed() {
    const feed = createChangeFeed(createRunFeed(database()), createLogger('silent'));
    feed.start();
    onTestFinished(() => feed.stop());
    return feed;
  }

  /** Starts a reader of this feed, or of a new one. */
  function read(options: Partial<FeedReaderOptions> = {}, feed = startFeed()) {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const batches = feed.follow({
      from: undefined,
      sees: () => true,
      waitMs: 60_000,
      signal: gone.signal,
      onTooSlow: () => gone.abort(),
      ...options,
    });
    const waiting: FeedEvent[] = [];
    const next = async (): Promise<FeedEvent> => {
      while (waiting.length === 0) {
        const { value, done } = await batches.next();
        if (done) throw new Error('the stream has ended');
        waiting.push(...value);
      }
      return waiting.shift() as FeedEvent;
    };
    return { next, batches, gone };
  }
  const idOf = (event: FeedEvent) => (event.kind === 'change' ? event.run.id : event.kind);

  it('begins with a reset, and continues with changes that anyone writes', async () => {
    const { next } = read();
    expect(await next()).toEqual({ kind: 'reset', cursor: 0 });
    const id = await create();
    const first = await next();
    expect(first).toMatchObject({ kind: 'change', run: { id, state: 'QUEUED' } });
    await change(id);
    const second = await next();
    expect(idOf(second)).toBe(id);
    expect(second.cursor).toBeGreaterThan(first.cursor);
  });

  it('shows only what the reader may see', async () => {
    const feed = startFeed();
    const bobs = read({ sees: ({ creator_uid: uid }) => uid === 'bob' }, feed);
    const everyones = read({}, feed);
    await Promise.all([bobs.next(), everyones.next()]);
    const ids = [await create('ada'), await create('bob')];
    expect([idOf(await everyones.next()), idOf(await everyones.next())]).toEqual(ids);
    expect(idOf(await bobs.next())).toBe(ids[1]);
  });

  it('continues after a cursor', async () => {
    const [before, missed] = [await create(), await create()];
    const { updated_at: at } = (await change(before)) ?? { updated_at: 0 };
    await change(missed);
    // Changes just before the cursor are sent again, because they may have been committed after it.
    const { next } = read({ from: at });
    expect(new Set([idOf(await next()), idOf(await next())])).toEqual(new Set([before, missed]));
    const late = await create();
    expect(idOf(await next())).toBe(late);
  });

  it.each([
    ['is too old', (newest: number) => newest - 100_000, 1_001],
    ['is from the future', (newest: number) => newest + 1, 1],
  ])('begins anew if the cursor %s', async (_, cursorAt, count) => {
    const row = { ...aServiceRun(), conversation_id: 'c', state: 'QUEUED', created_at: 1_000_000 };
    const { metadata: _m, attachments: _a, conversationId: _c, ...columns } = row;
    const many = Array.from({ length: count }, (_none, at) => ({
      ...columns,
      search_text: '',
      metadata_json: '{}',
      cancel_requested: 0,
      followups_closed: 0,
      id: `many-${at}`,
      session_token: `many-${at}`,
      updated_at: 1_000_000 + at,
      prompt: new Secret('prompt', `many-${at}`, ''),
      config_json: new Secret('config_json', `many-${at}`, '{}'),
    }));
    for (let at = 0; at < many.length; at += 500)
      await database()
        .insertInto('service_runs')
        .values(many.slice(at, at + 500))
        .execute();
    const newest = 1_000_000 + count - 1;
    expect(await read({ from: cursorAt(newest) }).next()).toEqual({
      kind: 'reset',
      cursor: newest,
    });
  });

  it('sends an empty batch when nothing happens', async () => {
    const { next, batches } = read({ waitMs: 30 });
    await next();
    expect((await batches.next()).value).toEqual([]);
  });

  it('ends with its signal, also while it waits', async () => {
    const { next, batches, gone } = read();
    await next();
    const end = batches.next();
    gone.abort();
    await end;
    expect((await batches.next()).done).toBe(true);
  });

  it('continues after the store was down', async () => {
    const working = createRunFeed(database());
    let failures = 1;
    const feed = createChangeFeed(
      {
        ...working,
        since: async (...args) => {
          if (failures-- > 0) throw new Error('down');
          return working.since(...args);
        },
      },
      createLogger('silent'),
    );
    feed.start();
    onTestFinished(() => feed.stop());
    const { next } = read({}, feed);
    await next();
    const id = await create();
    expect(idOf(await next())).toBe(id);
  });

  it('drops a reader that takes nothing', async () => {
    let tooSlow = 0;
    let at = 1;
    const working = createRunFeed(database());
    const feed = createChangeFeed(
      {
        ...working,
        // Each poll finds thousands of changed runs.
        since: async () =>
          Array.from({ length: 4_000 }, (_, index) => {
            at += 1;
            return { id: `run-${index}`, state: 'QUEUED', creator_uid: 'ada', updated_at: at };
          }),
      },
      createLogger('silent'),
    );
    feed.start();
    onTestFinished(() => feed.stop());
    const dropped = new Promise<void>((resolve) => {
      const { next } = read(
        {
          onTooSlow: () => {
            tooSlow += 1;
            resolve();
          },
        },
        feed,
      );
      void next();
    });
    await dropped;
    await read({}, feed).next();
    expect(tooSlow).toBe(1);
  });

  it('has readers list runs after a change of too many', async () => {
    const working = createRunFeed(database());
    const one = { id: 'a', state: 'QUEUED', creator_uid: 'ada', updated_at: 7 };
    const feed = createChangeFeed(
      {
        ...working,
        newest: async () => 7,
        since: async (_, limit) => Array.from({ length: limit }, () => one),
      },
      createLogger('silent'),
    );
    feed.start();
    onTestFinished(() => feed.stop());
    const { next } = read({}, feed);
    expect([idOf(await next()), idOf(await next())]).toEqual(['reset', 'reset']);
  });
});
