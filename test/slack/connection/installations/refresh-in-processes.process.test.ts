import { once } from 'node:events';
import { expect, it } from 'vitest';
import { bundle } from '../../../../packages/base/test/support/bundle.ts';
import { freePort } from '../../../../packages/base/test/support/free-port.ts';
import { startProgram } from '../../../../packages/base/test/support/program.ts';
import { testKey } from '../../../../packages/runs-service/test/support/runs-service.ts';
import { createPostgresDatabase } from '../../../support/database/databases.ts';
import { installInBrowser, startOAuthProduct } from '../../../support/product/oauth-product.ts';
import { textOf } from '../../../support/product/product.ts';

const channelId = 'C04GENERAL1';

it('two processes refresh a token that expired once, also when one is killed', async () => {
  const database = await createPostgresDatabase();
  const { workspace, config } = await startOAuthProduct({ database });
  const program = bundle('test/support/product/bot-with-wait.ts');
  async function start() {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const before = workspace.connections();
    const child = startProgram(program, {
      SLACK_CLIENT_ID: workspace.clientId,
      SLACK_CLIENT_SECRET: workspace.clientSecret,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      DATABASE_URL: database,
      RUNS_API_URL: 'baseUrl' in config.runsApi ? config.runsApi.baseUrl : '',
      RUNS_API_KEY: testKey,
    });
    await workspace.until(() => workspace.connections() > before);
    return { child, publicUrl };
  }
  const [one, other] = [await start(), await start()];
  await installInBrowser(workspace, `${one.publicUrl}/slack/install`, 'U04ADALOVEL');
  const refreshes = () =>
    workspace.traffic
      .recent()
      .filter(
        ({ name, request }) =>
          name === 'oauth.v2.access' && textOf(request).includes('refresh_token'),
      ).length;
  const runs = async (...words: string[]) => {
    await Promise.all(
      words.map((word) => workspace.as('ada').types(channelId, `/agent run ${word}`)),
    );
    for (const word of words)
      await workspace.until(() =>
        textOf(workspace.messagesIn(channelId)).includes(`done: ${word}`),
      );
  };
  await runs('zero');
  await workspace.faults.inject({ name: 'token_expired' });
  await runs('one', 'two', 'three', 'four');
  expect(refreshes()).toBe(1);
  await workspace.faults.inject({ name: 'token_expired' });
  // The other process asks for a new token and is killed before it reads the answer.
  await workspace.faults.inject({
    name: 'answer_delayed',
    method: 'oauth.v2.access',
    delayMs: 2_000,
  });
  other.child.kill('SIGKILL');
  await once(other.child, 'exit');
  // Wait until only two connections are left. Slack loses commands that it sends to the killed process.
  await workspace.until(() => workspace.connections() === 2);
  await runs('five', 'six');
  expect(refreshes()).toBe(2);
});
