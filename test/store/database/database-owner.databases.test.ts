import { expect, it } from 'vitest';
import { createDatabaseOwner } from '../../../src/store/database/database-owner.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

describeOnDatabase('the owner of a database', (database) => {
  it('is the first workspace, and no other can use the database', async () => {
    const owner = createDatabaseOwner(database());
    await owner.claim('T1');
    await owner.claim('T1');
    await expect(owner.claim('T2')).rejects.toThrow(
      'The database belongs to the Slack workspace T1, but SLACK_BOT_TOKEN is of T2.',
    );
  });
});
