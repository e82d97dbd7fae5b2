import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/lib/logger.ts';
import { readIdentity } from '../../src/slack/read-identity.ts';
import { createWebClient } from '../../src/slack/web-client.ts';
import { useWorkspace } from '../local-workspace/support/use-workspace.ts';

const { startWorkspace } = useWorkspace();

async function start() {
  const workspace = await startWorkspace();
  const client = createWebClient({ ...workspace, logger: createLogger('silent') });
  const asked = () => workspace.traffic.recent().filter(({ name }) => name === 'auth.test').length;
  return { workspace, client, asked };
}

const method = 'auth.test';
const waits = [1, 1];

describe('who we are in Slack', () => {
  it.each([
    { name: 'server_error', method, times: 2 },
    { name: 'connection_cut', method, times: 2 },
    { name: 'answer_lost', method, times: 2 },
    { name: 'html_answer', method, times: 1 },
    { name: 'rate_limited', method, times: 1, retryAfterSeconds: 1 },
  ] as const)('is known although Slack is away for a moment: $name', async (fault) => {
    const { workspace, client } = await start();
    await workspace.faults.inject(fault);
    expect(await readIdentity(client, waits)).toMatchObject({ user_id: workspace.bot.userId });
  });

  it('is given up when Slack stays away, with what to look at', async () => {
    const { workspace, client, asked } = await start();
    await workspace.faults.inject({ name: 'server_error', method, times: 9 });
    await expect(readIdentity(client, waits)).rejects.toThrow('Check the network');
    expect(asked()).toBe(3);
  });

  it.each(['invalid_auth', 'token_revoked', 'missing_scope'])(
    '%s is said at once',
    async (error) => {
      const { workspace, client, asked } = await start();
      await workspace.faults.inject({ name: 'error_answer', method, error });
      await expect(readIdentity(client, waits)).rejects.toThrow(
        `Slack did not accept us (${error}). Check SLACK_BOT_TOKEN`,
      );
      expect(asked()).toBe(1);
    },
  );
});
