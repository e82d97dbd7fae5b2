import { CompiledQuery, Kysely, type LogEvent } from 'kysely';
import { expect, it } from 'vitest';
import { createDrafts } from '../../../src/store/people/drafts.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import type { Db } from '../../../src/store/schema.ts';
import { sqliteDialect } from '../../../src/store/sqlite/sqlite.ts';
import { openTestDatabase, withTestKey } from '../../support/database/test-key.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

it('reading a setting reads no setting of others', async () => {
  const file = `${temporaryFolder()}/plans.db`;
  const db = await openTestDatabase(`sqlite:${file}`);
  const asked: LogEvent['query'][] = [];
  const log = ({ query }: LogEvent) => {
    asked.push(query);
  };
  const watched: Db = new Kysely({ dialect: withTestKey(sqliteDialect(file)), log });
  const [settings, drafts] = [createSettings(watched), createDrafts(watched)];
  const asker = { teamId: 'T1', channelId: 'C1', userId: 'U1' };
  await settings.read({ teamId: 'T1', scope: 'person', scopeId: 'U1' }, 'run.defaults');
  await settings.readLayers(asker, 'run.defaults');
  await drafts.readSubmission({ ...asker, draftId: 'd', key: 'run.defaults' });
  await watched.destroy();

  const steps = asked.map(async ({ sql, parameters }) => {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    return rows.map(({ detail }) => detail).filter((detail) => /settings|drafts/.test(detail));
  });
  const whole = expect.stringContaining('(team_id=? AND scope=? AND scope_id=? AND key=?)');
  const one = expect.stringContaining('SEARCH drafts USING INDEX');
  expect(await Promise.all(steps)).toEqual([
    [whole],
    [whole, whole, whole],
    [one, whole, whole, whole],
  ]);
  await db.destroy();
});
