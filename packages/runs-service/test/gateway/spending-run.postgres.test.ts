import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../support/databases.ts';
import { startRunsService } from '../support/runs-service.ts';
import { spendingEnvironment, twoDollars } from './spending-run.ts';

it('counts one of many answers that two services on one database get at once', async () => {
  const url = await createPostgresDatabase();
  const { environment, answered } = await spendingEnvironment(3, { caps: [twoDollars] });
  const services = await Promise.all(
    ['one', 'two'].map(async () => {
      const db = await openTestDatabase(url);
      onTestFinished(() => db.destroy());
      return startRunsService({ environments: [environment], db });
    }),
  );
  const [first] = services;
  if (!first) return;
  const id = await first.begin({ prompt: 'x' });
  const blocked = await first.until(id, 'BLOCKED', 'FAILED', 'SUCCEEDED');
  const question_id = blocked.agent_progress?.question?.id;
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, number) => {
      const option = number % 4 < 2 ? 'allow' : 'stop';
      const sent = await services[number % 2]?.request(`/agent/runs/${id}/answers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question_id, option_id: option }),
      });
      return { option, status: sent?.status };
    }),
  );
  const used = answers.filter(({ status }) => status === 200);
  expect(used).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(15);
  const run = await first.until(id, 'SUCCEEDED', 'FAILED');
  const isAllowed = used[0]?.option === 'allow';
  expect(run.state).toBe(isAllowed ? 'SUCCEEDED' : 'FAILED');
  expect(answered()).toBe(isAllowed ? 3 : 2);
  expect(run.request_usage?.tightest_cap).toMatchObject({ limit_usd: isAllowed ? 4 : 2 });
});
