import { expect, it, vi } from 'vitest';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { useDatabase } from '../../support/database/databases.ts';

const database = useDatabase();

it('is due when it should be, however long writing it takes', async () => {
  let now = 10_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 7));
  const post = { kind: 'upload', teamId: 'T1', requestId: null, content: {}, dueAt: 1 };
  await createOutbox(database()).plan([{ ...post, id: 'post' }]);
  clock.mockRestore();
  const rows = await database().selectFrom('outbox').select('due_at').execute();
  expect(rows).toEqual([{ due_at: 1 }]);
});
