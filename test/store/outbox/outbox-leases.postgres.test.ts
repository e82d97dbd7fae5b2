import { expect, it } from 'vitest';
import { useDatabase } from '../../support/database/databases.ts';
import { useOutbox } from './due-messages.ts';

const database = useDatabase();

// This only works on PostgreSQL. On SQLite, a changed message is due before all others.
it('updates the message first that waits longest, also if it changes again', async () => {
  const { show, change, dueSince, next } = useOutbox(database);
  for (const id of ['later', 'first']) await show(id);
  await change('first');
  await dueSince('first', 10_000);
  await change('later');
  expect([await next(), await next()]).toEqual([['first'], ['later']]);
});
