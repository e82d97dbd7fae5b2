import { describe, expect, it } from 'vitest';
import { general, runMessagesIn, textOf } from '../../support/product/product.ts';
import { errorsIn, startWithRun } from './run-in-progress.ts';

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
      await expect.poll(stored).toHaveLength(2);
      await expect.poll(refused).toBeGreaterThanOrEqual(2);
      for (let minute = 0; minute < 3; minute += 1) {
        const before = refused();
        await passMinute();
        await expect.poll(refused).toBeGreaterThanOrEqual(before + 2);
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
      await expect.poll(() => errorsIn(lines)).not.toEqual([]);
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
