import { expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import { addsRule, clicksTo, opensRules } from '../../support/product/policy.ts';
import { general, runMessageShowing, startProduct, textOf } from '../../support/product/product.ts';

async function startWithStub() {
  const product = await startProduct();
  const api = await startApiStub();
  await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
  const limits = () =>
    api.createdBodies.map((body) => (body as { limits?: { caps?: object[] } }).limits);
  return { ...product, api, limits };
}

const oncall = { text: { type: 'plain_text', text: '@oncall' }, value: 'S04ONCALL01' };

it('sends the caps and models of the rules with a run, and whose spending it counts as', async () => {
  const { workspace, ada, grace, api, limits } = await startWithStub();
  await addsRule({ workspace }, ada, {
    name: 'On call',
    groups: [oncall],
    group_cap: '$300 per week',
    models: 'default, big, small',
    time_zone: 'Europe/Berlin',
  });
  await addsRule({ workspace }, ada, {
    name: 'Everyone',
    after: 'On call',
    run_cap: '5',
    person_cap: '$20 per day',
    channel_cap: '$1,000 per month',
    environment_cap: '$50 per day',
    workspace_cap: '$2,000 per month',
    time_zone: 'UTC',
  });
  await grace.types(general, '/agent run model=big env=shop fix the login');
  await runMessageShowing(workspace, 'In progress');
  const utc = { time_zone: 'UTC' };
  expect(limits()).toEqual([
    {
      workspace: workspace.team.id,
      person: grace.person.id,
      channel: general,
      models: ['big', 'small'],
      caps: [
        { scope: 'run', usd: 5, per: 'run' },
        { scope: 'person', usd: 20, per: 'day', ...utc, name: grace.person.realName },
        { scope: 'channel', usd: 1000, per: 'month', ...utc, name: '#general' },
        {
          scope: 'group',
          usd: 300,
          per: 'week',
          time_zone: 'Europe/Berlin',
          group: 'S04ONCALL01',
          name: '@oncall',
        },
        { scope: 'environment', usd: 50, per: 'day', ...utc, name: 'shop' },
        { scope: 'workspace', usd: 2000, per: 'month', ...utc },
      ],
    },
  ]);
  expect(api.created).toHaveLength(1);
});

it("doesn't start a run over a cap, and Try again uses the rules of now", async () => {
  const { workspace, ada, grace, api, limits } = await startWithStub();
  await addsRule({ workspace }, ada, { name: 'Everyone', person_cap: '$20 per day' });
  const detail = 'grace has spent $20.00 of $20.00 today. It resets on Saturday at 00:00 (UTC).';
  api.createProblems.push({ status: 402, detail });
  await grace.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Not started');
  expect(textOf(message)).toContain(`${detail} Try again then, or ask an admin to raise`);

  await opensRules({ workspace }, ada);
  await clicksTo({ workspace }, ada, 'policy:edit', 'policy:remove', 'Everyone');
  await ada.submits({ person_cap: '$30 per day' });
  await workspace.until(() => textOf(ada.modal()?.content).includes('$30 per day'));
  await grace.clicks({ channelId: general, messageTs: message.ts }, 'run-message:try-again');
  await runMessageShowing(workspace, 'In progress');
  expect(limits().map((each) => each?.caps)).toMatchObject([[{ usd: 20 }], [{ usd: 30 }]]);
});

it("starts without limits at a service that rejects them, and says what isn't enforced", async () => {
  const { workspace, ada, grace, api, limits } = await startWithStub();
  await addsRule({ workspace }, ada, { name: 'Everyone', run_cap: '5' });
  api.createProblems.push({ status: 400, detail: 'unknown member: limits' });
  await grace.types(general, '/agent run fix the login');
  const message = textOf(await runMessageShowing(workspace, 'In progress'));
  expect(limits().map((each) => each?.caps)).toEqual([
    [{ scope: 'run', usd: 5, per: 'run' }],
    undefined,
  ]);
  expect(message).toContain('Started without its spending cap, because the runs service');
});
