import { expect, it } from 'vitest';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { useOutbox } from './due-messages.ts';

describeOnDatabase('the outbox', (database) => {
  it('posts the message of a new run before it updates messages that waited longer', async () => {
    const { plan, show, change, dueSince, next } = useOutbox(database);
    for (const id of ['one', 'two']) await show(id);
    for (const id of ['one', 'two']) await change(id);
    for (const id of ['one', 'two']) await dueSince(id, 10_000);
    await plan('new');
    expect(await next()).toEqual(['new']);
    expect([...(await next()), ...(await next())].toSorted()).toEqual(['one', 'two']);
    expect(await next()).toEqual([]);
  });
});
