import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../../packages/base/test/support/line-logger.ts';
import { useWorkspace } from '../../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createWebClient } from '../../../../src/slack/connection/calls/web-client.ts';
import { fixedToken } from '../../../../src/slack/connection/installations/installations.ts';
import { waitForSlack } from '../../../../src/slack/connection/installations/wait-for-slack.ts';

const { startWorkspace } = useWorkspace();

async function start() {
  const workspace = await startWorkspace();
  const { logger, lines } = createLineLogger();
  const stopping = new AbortController();
  const client = createWebClient({ ...workspace, tokens: fixedToken(workspace.botToken), logger });
  const waiting = { signal: stopping.signal, logger, firstWaitMs: 1 };
  const read = () => waitForSlack(() => client.auth.test(), 'SLACK_BOT_TOKEN', waiting);
  const asked = () => workspace.traffic.recent().filter(({ name }) => name === 'auth.test').length;
  return { workspace, read, asked, lines, stopping };
}

const method = 'auth.test';

describe("the bot's identity", () => {
  it.each([
    { name: 'server_error', method, times: 4 },
    { name: 'answer_lost', method, times: 2 },
    { name: 'html_answer', method, times: 1 },
    { name: 'rate_limited', method, times: 1, retryAfterSeconds: 1 },
  ] as const)(
    'is read once Slack can be reached, with one log line: $name',
    async (fault) => {
      const { workspace, read, lines } = await start();
      await workspace.faults.inject(fault);
      expect(await read()).toMatchObject({ user_id: workspace.bot.userId });
      expect(lines).toEqual([
        expect.objectContaining({ level: 40, msg: expect.stringContaining('trying again') }),
      ]);
    },
    30_000,
  );

  it("isn't retried after the abort", async () => {
    const { workspace, read, asked, stopping } = await start();
    await workspace.faults.inject({ name: 'server_error', method, times: 100_000 });
    const reading = read();
    await workspace.until(() => asked() > 1);
    stopping.abort();
    expect(await reading).toBeUndefined();
  });

  it.each(['invalid_auth', 'token_revoked', 'missing_scope'])(
    "isn't retried after %s",
    async (error) => {
      const { workspace, read, asked } = await start();
      await workspace.faults.inject({ name: 'error_answer', method, error });
      await expect(read()).rejects.toThrow(
        `Slack rejected the token (${error}). Check SLACK_BOT_TOKEN`,
      );
      expect(asked()).toBe(1);
    },
  );
});
