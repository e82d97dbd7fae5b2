import { randomBytes } from 'node:crypto';
import { openDatabase } from 'base/database/database';
import type { AnyDb } from 'base/database/tables';
import { rotate } from 'base/encryption/rotate';
import { Secret } from 'base/encryption/secret';
import { ExplainedError } from 'base/explained-error';
import { createEncryption, type Encryption } from 'base/secrets/encryption';
import { sql } from 'kysely';
import { createFollowups } from 'runs-service/store/followups';
import { createRuns } from 'runs-service/store/runs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmptyDatabase } from '../../../packages/base/test/support/databases.ts';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { aServiceRun } from '../../../packages/runs-service/test/support/service/service-run-builder.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { encryptedColumns } from '../../../src/store/encrypted-columns.ts';
import { knownRun, pendingRun } from '../../../src/store/requests/request-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { aRun } from '../../support/builders.ts';
import { fillService } from '../../support/database/service-rows.ts';
import { storedRequest } from '../../support/database/stored-request.ts';
import { type AnySchema, allTables } from '../../support/database/whole-database.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const onlyOld = createEncryption(oldKey);
/** Keys in the first and in the second step of a rotation. */
const [mostlyOld, mostlyNew] = [createEncryption(oldKey, newKey), createEncryption(newKey, oldKey)];
const onlyNew = createEncryption(newKey);
const secret = `ghp_${'r0tAte'.repeat(6)}`;
const requestCount = 120;

describe('encryption keys', () => {
  async function opened(url: string, encryption: Encryption) {
    const db = await openDatabase<AnySchema>(url, allTables, { encryption });
    onTestFinished(() => db.destroy());
    return db;
  }

  it('can be replaced while the app works with both, and then only the new one is needed', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    const before = await opened(url, onlyOld);
    await fill(before);
    const running = await opened(url, mostlyOld);
    const renewed = await opened(url, mostlyNew);

    const shownBefore = await dueMessages(renewed);
    await createStore(renewed).settings.write(person, 'new', { secret });
    expect(await createStore(running).settings.read(person, 'new')).toEqual({ secret });
    expect(await rotate(renewed, allTables, mostlyNew)).toBeGreaterThan(requestCount);
    expect(await rotate(renewed, allTables, mostlyNew)).toBe(0);
    expect(await dueMessages(renewed)).toEqual(shownBefore);
    await expect(opened(url, onlyOld)).rejects.toThrow(ExplainedError);

    const after = await opened(url, onlyNew);
    const store = createStore(after);
    expect(await storedRequest(after, 'r7')).toMatchObject({
      prompt: `use ${secret}`,
      config: { base_prompt: secret },
      pendingUpdate: { state: 'BLOCKED' },
    });
    expect(await store.settings.read(person, 'old')).toEqual({ secret });
    expect(await createFollowups(after).listOf('followed')).toEqual([secret, secret]);
    expect(await columnsWithout(after, onlyNew.prefix)).toEqual([]);
  });

  it('are both needed until the end of a rotation that was interrupted, which can be repeated', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    await fill(await opened(url, onlyOld));
    const interrupted = await opened(url, mostlyNew);
    let left = requestCount / 2;
    const encrypt: Encryption['encrypt'] = (...text) => {
      if (left-- === 0) throw new Error('killed');
      return mostlyNew.encrypt(...text);
    };
    await expect(rotate(interrupted, allTables, { ...mostlyNew, encrypt })).rejects.toThrow(
      'killed',
    );
    await interrupted.destroy();
    await expect(opened(url, onlyNew)).rejects.toThrow(ExplainedError);
    const again = await opened(url, mostlyNew);
    expect(await rotate(again, allTables, mostlyNew)).toBeGreaterThan(0);
    expect(await columnsWithout(await opened(url, onlyNew), onlyNew.prefix)).toEqual([]);
  });

  it('that cannot read a value say which one', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    const db = await opened(url, onlyOld);
    await fill(db);
    await sql`update requests set prompt = 'enc1.gone.xyz' where id = 'r9'`.execute(db);
    const rotating = rotate(await opened(url, mostlyNew), allTables, mostlyNew);
    await expect(rotating).rejects.toThrow(ExplainedError);
    await expect(rotating).rejects.toThrow(/prompt of r9 in the table requests: .* key gone/);
  });

  it('are checked at the start', async () => {
    const url = await createEmptyDatabase(temporaryFolder());
    await opened(url, onlyOld);
    await expect(opened(url, onlyNew)).rejects.toThrow(
      /encrypted with another key: .* needs the encryption key \S{8}\. Set ENCRYPTION_KEY/,
    );
    await opened(url, mostlyNew);
  });
});

const person = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
type Db = AnyDb;

/** Fills every encrypted column, with more requests than one step of a rotation handles. */
async function fill(db: Db): Promise<void> {
  const store = createStore(db);
  const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', title: 't', acceptedAt: 1 };
  const more = { prompt: `use ${secret}`, config: { base_prompt: secret } };
  await Promise.all(
    Array.from({ length: requestCount }, (_, number) =>
      store.requests.accept({ id: `r${number}`, ...asked, ...more }),
    ),
  );
  const id = 'r7';
  const run = aRun({ state: 'BLOCKED' });
  const runs = {
    run_json: knownRun(id, run),
    pending_update_json: pendingRun(id, run),
    publish_problem: new Secret('publish_problem', id, secret),
    publish_wanted_json: new Secret('publish_wanted_json', id, '{"action":"merge"}'),
  };
  await db
    .updateTable('requests')
    .set({ step: 'following', ...runs })
    .where('id', '=', id)
    .execute();
  const answer = {
    id: 'q',
    teamId: 'T1',
    requestId: id,
    answeredBy: 'U1',
    authority: ownAuthority('U1'),
    answeredAt: 1,
  };
  await store.answers.give({ ...answer, given: { questionId: 'q', text: secret } });
  await store.answers.settle(answer, 'rejected', secret);
  await store.outbox.plan([
    { id, kind: 'k', teamId: 'T1', requestId: id, content: { secret }, dueAt: null },
  ]);
  await store.inbox.add({ id: '1', kind: 'k', teamId: 'T1', content: { secret } });
  const key = { baseUrl: 'https://runs.example/api/v1', apiKey: secret };
  await store.keys.connect({ teamId: 'T1', userId: 'U1' }, 'default', key);
  await store.settings.write(person, 'old', { secret });
  await store.installations.save({
    id: 'T1',
    teamId: 'T1',
    name: 'One',
    botId: 'B1',
    botUserId: 'U1',
    installedBy: 'U2',
    scopes: [],
    token: secret,
    refreshToken: secret,
    expiresAt: null,
  });
  const hook = aDefinition({ trigger: { kind: 'webhook', sender: 'github', filter: [] } });
  await store.automations.create(anAutomation({ definition: hook }), 'U1', secret);
  await store.automations.replaceSecret('a1', secret, 'U1');
  const delivery = { kind: 'webhook', deliveryId: '1' } as const;
  const firing = { automationId: 'a1', teamId: 'T1', key: '1', happenedAt: 1, fired: delivery };
  await store.firings.add(firing, secret);
  const draft = { context: '', messages: 0, left: 0, rest: secret, isWanted: false };
  await store.drafts.write(
    { id: 'd', teamId: 'T1' },
    { ...draft, notices: [], names: {} },
    Date.now(),
  );
  const owner = { teamId: 'T1', userId: 'U1' };
  await store.views.look(owner, { cursors: [], activeUntil: 1, refreshAt: 1 });
  const listing = { key: 'k', value: { secret }, listedAt: 1 };
  await store.views.keep({ ...owner, revision: 1 }, { listing });
  const attachments = [{ file_name: 'a', mime_type: 'text/plain', data: secret }];
  const serviceRun = aServiceRun({ prompt: secret, attachments });
  const created = await createRuns(db).create(serviceRun);
  await createRuns(db).change(created.id, ['QUEUED'], { status_json: '{}' });
  await db
    .insertInto('service_run_progress')
    .values({ run_id: 'p', progress_json: new Secret('progress_json', 'p', secret), changed_at: 1 })
    .execute();
  await fillService(db, secret);
  for (const number of [1, 2])
    await db
      .insertInto('service_run_followups')
      .values({
        run_id: 'followed',
        number,
        message: new Secret('message', 'followed', secret),
        created_at: 1,
      })
      .execute();
}

const dueMessages = async (db: Db) =>
  (await db.selectFrom('outbox').select(['id', 'due_at']).orderBy('id').execute()).filter(
    ({ due_at }) => due_at !== null,
  );

/** Returns encrypted columns that are empty, or that have a value without this prefix. */
async function columnsWithout(db: Db, prefix: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const [table, columns] of Object.entries(encryptedColumns))
    for (const column of Object.keys(columns)) {
      const { rows } = await sql<{ value: string }>`
        select ${sql.ref(column)} as value from ${sql.table(table)}
        where ${sql.ref(column)} is not null`.execute(db);
      if (rows.length === 0 || !rows.every(({ value }) => value.startsWith(prefix)))
        wrong.push(`${table}.${column}`);
    }
  return wrong;
}
