import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
} from '../../support/product/product.ts';

it('a version and the next one replace each other while runs continue, in both directions', async () => {
  const databaseUrl = await createPostgresDatabase();
  const { workspace, startBot, ada } = await startProduct({ databaseUrl });
  const older = await startBot();
  await ada.types(general, '/agent run wait for the deploy');
  const { ts: messageTs } = await runMessageShowing(workspace, 'In progress');

  // The next version adds tables and columns while the older one works. Then both work at the same time.
  const db = await openTestDatabase(databaseUrl);
  onTestFinished(() => db.destroy());
  await sql`insert into bot_migrations (name, timestamp) values ('999-next', 'x')`.execute(db);
  await sql`alter table requests add column mood text default 'calm'`.execute(db);
  await sql`create table moods (id text primary key)`.execute(db);
  const next = await startBot();
  await ada.types(general, '/agent run next to each other');
  await runMessageShowing(workspace, 'done: next to each other');
  await older.stop();
  await ada.clicks({ channelId: general, messageTs }, 'run:cancel');
  await workspace.until(() =>
    JSON.stringify(workspace.messagesIn(general).find(({ ts }) => ts === messageTs)).includes(
      'Canceled',
    ),
  );

  // Start the older version again, as in a rollback.
  await next.stop();
  await startBot();
  await ada.types(general, '/agent run back again');
  await runMessageShowing(workspace, 'done: back again');
  expect(runMessagesIn(workspace)).toHaveLength(3);
  const { rows } = await sql<{ mood: string }>`select distinct mood from requests`.execute(db);
  expect(rows).toEqual([{ mood: 'calm' }]);
});
