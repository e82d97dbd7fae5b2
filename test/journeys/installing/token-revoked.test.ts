import { describe, expect, it } from 'vitest';
import { runMessageShowing, runMessagesIn } from '../../support/product/product.ts';
import { errorsIn, startWithRun } from './run-in-progress.ts';

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
