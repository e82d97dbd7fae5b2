import { openForRequests } from 'base/database/database';
import { createEncryption } from 'base/secrets/encryption';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { throughGate } from '../../../packages/base/test/support/tcp-gate.ts';
import { testKeys } from '../../../packages/base/test/support/test-key.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import type { Db } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

const request = {
  id: 'r',
  teamId: 'T',
  creatorId: 'U',
  channelId: 'C',
  prompt: 'p',
  title: 't',
  authority: ownAuthority('U1'),
  config: {},
  acceptedAt: 1,
};
/** Long enough for every statement that the database answers. */
const withinMs = 5_000;
const owner = { teamId: 'T', scope: 'person' as const, scopeId: 'U' };
const undone = { name: 'StoreUnavailable', outcome: 'undone' };
const unknown = { name: 'StoreUnavailable', outcome: 'unknown' };

describe("work for a person, while PostgreSQL can't be reached", () => {
  let direct: Db;
  let gate: Awaited<ReturnType<typeof throughGate>>['gate'];
  let store: Db;
  beforeEach(async () => {
    const url = await createPostgresDatabase();
    direct = await openTestDatabase(url);
    const gated = await throughGate(`${url}?application_name=gated`);
    gate = gated.gate;
    const encryption = createEncryption(testKeys.current);
    store = openForRequests(direct, gated.url, [botTables], { encryption }, withinMs);
    onTestFinished(() => direct.destroy());
    onTestFinished(() => store.destroy());
  });

  const isStored = async () => (await createRequests(direct).find('r')) !== undefined;
  /** Resumes the connection, and waits until the server has read everything and ended every connection. */
  const resumed = async () => {
    gate.resume();
    await store.destroy();
    const others = sql<{ count: number }>`select count(*) from pg_stat_activity
      where application_name = 'gated' and datname = current_database()`;
    await expect.poll(async () => (await others.execute(direct)).rows[0]?.count).toBe(0);
  };

  it("a connection that hangs: it fails in time, and isn't saved later", async () => {
    const { accept } = createRequests(store);
    await createSettings(store).read(owner, 'a');
    gate.hang();
    await expect(accept(request)).rejects.toMatchObject(undone);
    await resumed();
    expect(await isStored()).toBe(false);
  });

  it("it hangs in the middle: what was sent isn't saved", async () => {
    gate.hang('insert into');
    await expect(createRequests(store).accept(request)).rejects.toMatchObject(undone);
    expect(gate.isHanging()).toBe(true);
    await resumed();
    expect(await isStored()).toBe(false);
  });

  it('it hangs in a transaction that counts limits: nothing is saved', async () => {
    gate.hang('insert into');
    const accepting = createRequests(store).acceptWithin({ maxRunsPerDay: 3 }, request);
    await expect(accepting).rejects.toMatchObject(undone);
    await resumed();
    expect(await isStored()).toBe(false);
  });

  it('the answer to the commit is missing: the outcome is unknown', async () => {
    gate.hang('commit');
    await expect(createRequests(store).accept(request)).rejects.toMatchObject(unknown);
  });

  it("it can't connect: it fails in time, and works when the server is back", async () => {
    const { accept } = createRequests(store);
    await gate.reject();
    await expect(accept(request)).rejects.toMatchObject(undone);
    await gate.accept();
    expect(await accept(request)).toBe(true);
  });

  it('the connection breaks: it fails at once, and the next one works', async () => {
    const settings = createSettings(store);
    await settings.read(owner, 'a');
    gate.hang();
    const reading = settings.read(owner, 'a').catch((error: unknown) => error);
    await gate.reject();
    expect(await reading).toMatchObject(undone);
    gate.resume();
    await gate.accept();
    await settings.write(owner, 'a', 1);
    expect(await settings.read(owner, 'a')).toBe(1);
  });

  it('a wrong statement keeps its error and its connection', async () => {
    const { accept } = createRequests(store);
    await expect(accept({ ...request, id: '\u0000' })).rejects.toMatchObject({ name: 'error' });
    expect(await accept(request)).toBe(true);
    expect(await accept(request)).toBe(false);
  });
});
