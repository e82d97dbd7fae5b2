import { beforeEach, expect, it } from 'vitest';
import { createConnectionChanges, mostConnections } from '../../src/store/connection-changes.ts';
import { createConnectionKeys } from '../../src/store/connection-keys.ts';
import { createRequests } from '../../src/store/requests/requests.ts';
import { describeOnDatabase } from '../support/database/databases.ts';

const admin = { teamId: 'T1', userId: 'UADMIN' };
const ann = { teamId: 'T1', userId: 'U1' };
const elsewhere = { teamId: 'T2', userId: 'U1' };
const staging = { name: 'staging', baseUrl: 'https://staging.example/api/v1', apiKey: 'key-1' };

describeOnDatabase('the connections of workspaces', (database) => {
  const keys = () => createConnectionKeys(database());
  const changes = () => createConnectionChanges(database());
  const actions = async () => {
    const rows = await database()
      .selectFrom('audit_entries')
      .select(['action', 'actor_id', 'details_json'])
      .where('entity_type', '=', 'connection')
      .orderBy('created_at')
      .execute();
    return rows.map((row) => `${row.actor_id} ${row.action}`);
  };
  async function add(person = admin, added = staging): Promise<string> {
    const id = await changes().add(person, added);
    if (!id) throw new Error('not added');
    return id;
  }
  beforeEach(async () => {
    for (const table of ['connections', 'requests', 'audit_entries'] as const)
      await database().deleteFrom(table).execute();
  });

  it('belong to one workspace each', async () => {
    const id = await add();
    expect(await keys().list('T1')).toEqual([
      { id, name: 'staging', baseUrl: staging.baseUrl, problem: null },
    ]);
    expect(await keys().list('T2')).toEqual([]);
    expect(await changes().remove(elsewhere, id)).toBe(false);
    expect(await changes().replaceKey(elsewhere, id, 'stolen')).toBe(false);
    expect(await keys().read(id)).toEqual({ baseUrl: staging.baseUrl, apiKey: 'key-1' });
  });

  it('have a name that is unique there, and a limit', async () => {
    await add();
    expect(await changes().add(admin, { ...staging, apiKey: 'other' })).toBeUndefined();
    expect(await changes().add(elsewhere, staging)).toBeDefined();
    for (let count = 1; count < mostConnections; count += 1)
      await add(admin, { ...staging, name: `c${count}` });
    expect(await changes().add(admin, { ...staging, name: 'one-more' })).toBeUndefined();
  });

  it('are added once, also if two replicas get the same form', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => changes().add(admin, staging)));
    expect(one).toBeDefined();
    expect(other).toBe(one);
    expect(await keys().list('T1')).toHaveLength(1);
    expect(await actions()).toEqual(['UADMIN connection_added']);
  });

  it('are never more than the limit, also if several are added at once', async () => {
    const names = Array.from({ length: mostConnections + 5 }, (_, at) => `c${at}`);
    const added = await Promise.all(
      names.map((name) => changes().add(admin, { ...staging, name })),
    );
    expect(added.filter(Boolean)).toHaveLength(mostConnections);
    expect(await keys().list('T1')).toHaveLength(mostConnections);
  });

  it('get another key in place of the one they have', async () => {
    const id = await add();
    expect(await changes().replaceKey(admin, id, 'key-2')).toBe(true);
    expect(await keys().read(id)).toMatchObject({ apiKey: 'key-2' });
  });

  it('lose their keys and those of people when they are removed, and give their name back', async () => {
    const id = await add();
    await changes().connect(ann, id, { baseUrl: staging.baseUrl, apiKey: 'own' });
    expect(await changes().remove(admin, id)).toBe(true);
    expect(await changes().remove(admin, id)).toBe(false);
    expect(await keys().read(id)).toBeUndefined();
    expect(await keys().ownKeys(ann)).toEqual([]);
    expect(await keys().list('T1')).toEqual([]);
    // The connection was removed while this key was checked.
    const late = { baseUrl: staging.baseUrl, apiKey: 'late' };
    expect(await changes().connect(ann, id, late)).toBe(false);
    expect(await keys().ownKeys(ann)).toEqual([]);
    expect(await add()).not.toBe(id);
  });

  it("keep people's own keys apart, also of people with the same id in another workspace", async () => {
    const key = { baseUrl: 'embedded', apiKey: 'own' };
    await changes().connect(ann, 'default', key);
    const [own] = await keys().ownKeys(ann);
    expect(own).toMatchObject({ serviceId: 'default', problem: null });
    expect(await keys().ownKeys(elsewhere)).toEqual([]);
    expect(await keys().read(own?.id ?? '')).toEqual(key);
    expect(await changes().disconnect(elsewhere, 'default')).toBe(false);
    expect(await changes().disconnect(ann, 'default')).toBe(true);
    expect(await keys().read(own?.id ?? '')).toBeUndefined();
  });

  it('store keys encrypted', async () => {
    await add();
    const { rows } = await database().executeQuery<{ stored: string }>(
      database().selectFrom('connections').select('api_key as stored').compile(),
    );
    expect(rows[0]?.stored).not.toContain('key-1');
  });

  it('make the live runs of a removed one due, and no others', async () => {
    const id = await add();
    const asked = {
      teamId: 'T1',
      creatorId: 'U1',
      channelId: 'C1',
      prompt: 'p',
      title: 't',
    };
    for (const connectionId of [id, 'default'])
      await createRequests(database()).accept({
        ...asked,
        id: `on ${connectionId}`,
        connectionId,
        config: {},
        acceptedAt: 1,
      });
    await database().updateTable('requests').set({ due_at: null }).execute();
    await changes().remove(admin, id);
    const due = await database()
      .selectFrom('requests')
      .select('id')
      .where('due_at', 'is not', null)
      .execute();
    expect(due).toEqual([{ id: `on ${id}` }]);
  });

  it('are in the audit log, without their keys', async () => {
    const id = await add();
    await changes().replaceKey(admin, id, 'key-2');
    await changes().connect(ann, id, { baseUrl: staging.baseUrl, apiKey: 'own-key' });
    await changes().disconnect(ann, id);
    await changes().disconnect(ann, id);
    await changes().remove(admin, id);
    expect((await actions()).sort()).toEqual([
      'U1 key_connected',
      'U1 key_disconnected',
      'UADMIN connection_added',
      'UADMIN connection_key_replaced',
      'UADMIN connection_removed',
    ]);
    const stored = await database().selectFrom('audit_entries').selectAll().execute();
    expect(JSON.stringify(stored)).not.toMatch(/key-[12]|own-key/);
  });
});
