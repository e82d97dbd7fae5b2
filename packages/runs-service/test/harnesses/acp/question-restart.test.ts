import { expect, it } from 'vitest';
import { openTestDatabase } from '../../support/databases.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { acpEnvironment } from './acp-bed.ts';

const permit = { permit: { kind: 'execute', title: 'Run tests' } };

async function blockedAndStopped(restart: boolean) {
  const db = await openTestDatabase('sqlite::memory:');
  const environments = [acpEnvironment('', { permissions: 'ask', restart })];
  const options = { db, environments, dataDir: temporaryFolder() };
  const before = await startRunsService(options);
  const id = await before.begin({ prompt: JSON.stringify([permit]) });
  const question = (await before.until(id, 'BLOCKED')).agent_progress?.question;
  await before.service.stop();
  const after = await startRunsService(options);
  const answer = (question_id: string | undefined) =>
    after.request(`/agent/runs/${id}/answers`, {
      method: 'POST',
      body: JSON.stringify({ question_id, option_id: 'yes' }),
      headers: { 'content-type': 'application/json' },
    });
  return { after, id, question, answer };
}

it('a question goes away with the process that asked it', async () => {
  const { after, id, answer, question } = await blockedAndStopped(false);
  const run = await after.until(id, 'FAILED');
  expect(run.status_message?.message).toContain('The runs service was stopped');
  expect(run.agent_progress).not.toHaveProperty('question');
  expect((await answer(question?.id)).status).toBe(409);
});

it('a run that starts over asks again', async () => {
  const { after, id, answer, question } = await blockedAndStopped(true);
  const asked = async () => (await after.get(id)).agent_progress?.question?.id ?? question?.id;
  await expect.poll(asked).not.toBe(question?.id);
  expect((await answer(question?.id)).status).toBe(409);
  expect((await answer(await asked())).status).toBe(200);
  expect((await after.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
});
