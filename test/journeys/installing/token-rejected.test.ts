import { expect, it, onTestFinished } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { clientOf } from '../../../packages/runs-service/test/support/runs-service.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { passTime } from '../../support/database/pass-time.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const aMinuteMs = 61_000;

type Waiting = { lease_owner: string | null; due_at: number | null };

/** Returns true if a row was tried and its lease was released. */
const isAtRest = ({ lease_owner: owner, due_at: dueAt }: Waiting) =>
  owner === null && (dueAt === null || dueAt > Date.now());

/** Starts a run that stays in progress, and collects every line that the bot logs. */
async function startWithRun() {
  const product = await startProduct();
  const { workspace, service, ada, config } = product;
  const { logger, lines } = createLineLogger();
  const bot = await product.startBot({}, logger);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const stored = () => db.selectFrom('requests').selectAll().orderBy('accepted_at').execute();
  const posts = () => db.selectFrom('outbox').selectAll().execute();
  return {
    ...product,
    bot,
    message,
    stored,
    async endRun() {
      const { request } = clientOf(service.apiUrl);
      const list = (await (await request('/agent/runs')).json()) as { runs: { run_id: string }[] };
      await request(`/agent/runs/${list.runs[0]?.run_id}/cancel`, { method: 'POST' });
      await expect.poll(stored).toMatchObject([{ step: 'ended' }]);
    },
    async passMinute() {
      const active = async () => [...(await stored()), ...(await posts())];
      await expect.poll(async () => (await active()).every(isAtRest)).toBe(true);
      await passTime(db, aMinuteMs);
    },
    /** Waits until every end reply is posted and no other post is due. */
    async untilTold() {
      const isTold = async () =>
        (await posts()).every(({ kind, state, due_at }) =>
          kind === 'end' ? state === 'done' : due_at === null,
        );
      await expect.poll(isTold).toBe(true);
    },
    repliesTo: (ts: string) =>
      workspace.messagesIn(general, { thread: ts }).filter((each) => each.ts !== ts),
    /** Log lines that require the operator to act. */
    errors: () => lines.filter(({ level }) => level >= 40),
    recoveries: () => lines.filter(({ msg }) => msg.startsWith('Slack accepts calls again')),
  };
}

it.each([
  ['token_revoked', /SLACK_BOT_TOKEN/, 1],
  ['missing_scope', /slash-agent manifest/, 2],
])(
  'while Slack rejects the app everything with %s, what is to be written waits, is logged once, and continues automatically',
  async (error, who, methods) => {
    const { workspace, ada, message, stored, repliesTo, ...product } = await startWithRun();
    const rejected = () => workspace.faults.struck().error_answer ?? 0;
    for (const method of ['chat.update', 'chat.postMessage', 'conversations.history'])
      await workspace.faults.inject({ name: 'error_answer', method, error, times: 1_000 });
    await product.endRun();
    // The message and the run of a request that is accepted meanwhile wait, too.
    await ada.types(general, '/agent run count');
    await expect.poll(stored).toHaveLength(2);
    await expect.poll(rejected).toBeGreaterThanOrEqual(2);
    for (let minute = 0; minute < 2; minute += 1) {
      const before = rejected();
      await product.passMinute();
      await expect.poll(rejected).toBeGreaterThanOrEqual(before + 2);
    }
    expect(product.errors()).toMatchObject(
      Array.from({ length: methods }, () => ({ msg: expect.stringMatching(who) })),
    );
    expect(textOf(runMessagesIn(workspace))).not.toContain('Canceled');
    workspace.faults.clear();
    await product.passMinute();
    await workspace.until(() => textOf(runMessagesIn(workspace)).includes('Succeeded'));
    await workspace.until(() => repliesTo(message.ts).length > 0);
    await product.passMinute();
    await product.untilTold();
    const all = runMessagesIn(workspace);
    expect(all.map((each) => /Canceled|Succeeded/.exec(textOf(each))?.[0])).toEqual([
      'Canceled',
      'Succeeded',
    ]);
    expect(all.map(({ ts }) => repliesTo(ts).length)).toEqual([1, 1]);
    expect(product.recoveries()).toHaveLength(methods);
  },
);

it('a step of a workflow whose end Slack rejects waits, is said in the log once, and is told when Slack takes it', async () => {
  const { workspace, bot, startBot, errors } = await startWithRun();
  const fault = { name: 'error_answer', error: 'token_revoked', times: 1_000 } as const;
  await workspace.faults.inject({ ...fault, method: 'functions.completeError' });
  const inputs = { prompt: 'fail', channel: general, person: 'U04ADALOVEL' };
  const step = await workspace.runsWorkflowStep('run_agent', inputs);
  await expect.poll(errors).toMatchObject([{ msg: expect.stringMatching(/SLACK_BOT_TOKEN/) }]);
  expect(step.status).toBe('running');
  workspace.faults.clear();
  // Restart the bot, because the next try would otherwise be a minute away.
  await bot.stop();
  await startBot();
  await workspace.until(() => step.status === 'failed');
});

it.each(['token_revoked', 'app_uninstalled'] as const)(
  'after %s, the log says once who must do what, and a start with a new token writes all that is missing',
  async (name) => {
    const { workspace, bot, message, startBot, config, ...product } = await startWithRun();
    await workspace.faults.inject({ name });
    await product.endRun();
    await workspace.settled();
    await product.passMinute();
    expect(product.errors()).toMatchObject([
      { level: 50, msg: expect.stringMatching(/Install the app .* again, set SLACK_BOT_TOKEN/) },
    ]);
    await bot.stop();
    await expect(startBot()).rejects.toThrow('Check SLACK_BOT_TOKEN');
    const botToken = workspace.installAgain();
    await startBot({ slack: { ...config.slack, botToken } });
    await product.passMinute();
    const ended = await runMessageShowing(workspace, 'Canceled');
    expect(ended.ts).toBe(message.ts);
    await product.untilTold();
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(product.repliesTo(message.ts)).toHaveLength(1);
  },
);
