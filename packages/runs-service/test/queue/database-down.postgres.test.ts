import { describe, expect, it, onTestFinished } from 'vitest';
import { throughGate } from '../../../base/test/support/tcp-gate.ts';
import { createConversations } from '../../src/store/kept-conversations.ts';
import { createPostgresDatabase, openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

const steps: [what: string, statement: string][] = [
  ['the memory of its conversation is read', 'select * from "service_conversations"'],
  ['the run before it is read', 'and "ended_at" is not null order by "created_at" desc limit'],
  ['its files are read', 'select "number" from "service_run_attachments"'],
  ['its memory is saved', 'insert into "service_conversations"'],
];

describe('a run waits for a database that goes away', () => {
  it.each(steps)('while %s', async (_, statement) => {
    const { url, gate } = await throughGate(await createPostgresDatabase());
    const db = await openTestDatabase(url);
    onTestFinished(() => db.destroy());
    const agent = 'echo known > "$HOME/known"; echo done';
    const service = await startRunsService({
      db,
      environments: [shellEnvironment(agent, { keep: ['known'] })],
    });
    gate.hang(statement);
    const id = await service.begin({ prompt: 'x' });
    await expect.poll(gate.isHanging).toBe(true);
    await gate.reject();
    gate.resume();
    await gate.accept();
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.state, run.status_message?.message).toBe('SUCCEEDED');
    expect(await createConversations(db).list()).toHaveLength(1);
  });
});
