import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../support/databases.ts';
import { passTime } from '../support/pass-time.ts';
import {
  createLineLogger,
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../support/product.ts';
import { openTestDatabase } from '../support/test-key.ts';

const aMinuteMs = 61_000;

/** A run that goes on, with its message, and every line that the bot logs. */
async function startWithRun() {
  const product = await startProduct({ databaseUrl: await createPostgresDatabase() });
  const { workspace, service, ada, config } = product;
  const { logger, lines } = createLineLogger();
  const bot = await product.startBot({}, logger);
  const db = await openTestDatabase(config.databaseUrl);
  onTestFinished(() => db.destroy());
  await ada.types(general, '/agent run wait');
  const message = await runMessageShowing(workspace, 'In progress');
  const headers = { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' };
  const endRun = async () => {
    const list = await (await fetch(`${service.apiUrl}/agent/runs`, { headers })).json();
    const [run] = (list as { runs: { run_id: string }[] }).runs;
    const url = `${service.apiUrl}/agent/runs/${run?.run_id}/cancel`;
    await fetch(url, { method: 'POST', headers });
  };
  const stored = () => db.selectFrom('requests').selectAll().orderBy('accepted_at').execute();
  const posts = () => db.selectFrom('outbox').selectAll().execute();
  /** Every notice is posted, and nothing waits. */
  const untilTold = async () => {
    const isTold = async () =>
      (await posts()).every(({ kind, state, due_at }) =>
        kind === 'end' ? state === 'done' : due_at === null,
      );
    while (!(await isTold())) await new Promise((resolve) => setTimeout(resolve, 30));
  };
  /** Waits until the store shows this of all requests. */
  const untilStored = async (is: (row: Awaited<ReturnType<typeof stored>>[number]) => boolean) => {
    while (!(await stored()).every(is)) await new Promise((resolve) => setTimeout(resolve, 30));
  };
  /** Everything that waits has been tried, and given back. */
  const isAtRest = (row: { lease_owner: string | null; due_at: number | null }) =>
    row.lease_owner === null && (row.due_at === null || row.due_at > Date.now());
  const passMinute = async () => {
    await untilStored(isAtRest);
    while (!(await posts()).every(isAtRest))
      await new Promise((resolve) => setTimeout(resolve, 30));
    await passTime(db, aMinuteMs);
  };
  const repliesTo = (ts: string) =>
    workspace.messagesIn(general, { thread: ts }).filter((each) => each.ts !== ts);
  return {
    ...product,
    bot,
    lines,
    message,
    endRun,
    stored,
    untilStored,
    untilTold,
    passMinute,
    repliesTo,
  };
}

type Started = Awaited<ReturnType<typeof startWithRun>>;

/** What an operator must act on, without what other journeys are about. */
const errorsIn = (lines: Started['lines']) => lines.filter(({ level }) => level >= 40);

describe('while Slack refuses the app everything', () => {
  it.each([
    ['token_revoked', /SLACK_BOT_TOKEN/],
    ['invalid_auth', /SLACK_BOT_TOKEN/],
    ['missing_scope', /npm run manifest/],
  ])(
    'with %s, what is to be written waits, is logged once, and goes on by itself',
    async (error, who) => {
      const {
        workspace,
        ada,
        lines,
        message,
        endRun,
        stored,
        untilStored,
        untilTold,
        passMinute,
        repliesTo,
      } = await startWithRun();
      const refused = () => workspace.faults.struck().error_answer ?? 0;
      for (const method of ['chat.update', 'chat.postMessage', 'conversations.history'])
        await workspace.faults.inject({ name: 'error_answer', method, error, times: 1_000 });
      await endRun();
      await untilStored(({ step }) => step === 'ended');
      // Accepted meanwhile: its message and its run wait, too.
      await ada.types(general, '/agent run count');
      while ((await stored()).length < 2 || refused() < 2)
        await new Promise((resolve) => setTimeout(resolve, 30));
      for (let minute = 0; minute < 3; minute += 1) {
        const before = refused();
        await passMinute();
        while (refused() < before + 2) await new Promise((resolve) => setTimeout(resolve, 30));
      }
      const methods = error === 'missing_scope' ? 2 : 1;
      expect(errorsIn(lines).map(({ msg }) => msg)).toEqual(
        Array.from({ length: methods }, () => expect.stringMatching(who)),
      );
      expect(textOf(runMessagesIn(workspace))).not.toContain('Canceled');
      workspace.faults.clear();
      await passMinute();
      await workspace.until(() => textOf(runMessagesIn(workspace)).includes('Succeeded'));
      await workspace.until(() => repliesTo(message.ts).length > 0);
      await passMinute();
      await untilTold();
      const all = runMessagesIn(workspace);
      expect(all.map((each) => /Canceled|Succeeded/.exec(textOf(each))?.[0])).toEqual([
        'Canceled',
        'Succeeded',
      ]);
      expect(all.map(({ ts }) => repliesTo(ts).length)).toEqual([1, 1]);
      expect(lines.filter(({ msg }) => msg.startsWith('Slack accepts calls again'))).toHaveLength(
        methods,
      );
    },
  );
});

describe('a step of a workflow whose end Slack refuses', () => {
  it.each([
    ['fail', 'completeError', 'failed'],
    ['count', 'completeSuccess', 'succeeded'],
  ])(
    'of a run that is to %s, waits, is said in the log once, and is told when Slack takes it again',
    async (prompt, method, status) => {
      const product = await startWithRun();
      const { workspace, lines, bot, startBot } = product;
      const fault = { name: 'error_answer', error: 'token_revoked', times: 1_000 } as const;
      await workspace.faults.inject({ ...fault, method: `functions.${method}` });
      const inputs = { prompt, channel: general, person: 'U04ADALOVEL' };
      const step = await workspace.runsWorkflowStep('run_agent', inputs);
      while (errorsIn(lines).length === 0) await new Promise((resolve) => setTimeout(resolve, 30));
      expect(step.status).toBe('running');
      expect(errorsIn(lines).map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/SLACK_BOT_TOKEN/),
      ]);
      workspace.faults.clear();
      // The next try is a minute away, or comes with a start.
      await bot.stop();
      await startBot();
      await workspace.until(() => step.status === status);
    },
  );
});

describe('a token that is gone for good', () => {
  it.each(['token_revoked', 'app_uninstalled'] as const)(
    '(%s): the log says once who must do what, and a start with a new token writes all that is missing',
    async (name) => {
      const {
        workspace,
        bot,
        lines,
        message,
        endRun,
        untilStored,
        untilTold,
        passMinute,
        repliesTo,
        startBot,
        config,
      } = await startWithRun();
      await workspace.faults.inject({ name });
      await endRun();
      await untilStored(({ step }) => step === 'ended');
      await workspace.settled();
      await passMinute();
      expect(errorsIn(lines)).toMatchObject([
        { level: 50, msg: expect.stringMatching(/Install the app .* again, set SLACK_BOT_TOKEN/) },
      ]);
      await bot.stop();
      await expect(startBot()).rejects.toThrow('Check SLACK_BOT_TOKEN');
      const botToken = workspace.installAgain();
      await startBot({ slack: { ...config.slack, botToken } });
      await passMinute();
      const ended = await runMessageShowing(workspace, 'Canceled');
      expect(ended.ts).toBe(message.ts);
      await untilTold();
      expect(runMessagesIn(workspace)).toHaveLength(1);
      expect(repliesTo(message.ts)).toHaveLength(1);
    },
  );
});
