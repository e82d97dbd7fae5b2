import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { freePort } from '../packages/base/test/support/free-port.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import { startTcpGate, throughGate } from '../packages/base/test/support/tcp-gate.ts';
import { createPostgresDatabase } from './support/database/databases.ts';

const stoppedWell = { code: 0, output: expect.stringContaining('Stopped.') };

describe('a bot that starts while a service is down', () => {
  const program = bundleSlashAgent();

  async function start(mode: 'socket' | 'http') {
    const manifest = readManifest(fileURLToPath(new URL('../manifest.yml', import.meta.url)));
    const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
    await workspace.start();
    onTestFinished(() => workspace.stop());
    const { hostname: host, port: slackPort } = new URL(workspace.url);
    const slack = await startTcpGate({ host, port: Number(slackPort) });
    const database = await throughGate(await createPostgresDatabase());
    const port = await freePort();
    const apiUrl = new URL(workspace.apiUrl);
    apiUrl.port = String(slack.port);
    const environment = {
      ...(mode === 'http'
        ? { SLACK_SIGNING_SECRET: workspace.signingSecret }
        : { SLACK_APP_TOKEN: workspace.appToken }),
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_API_URL: apiUrl.href,
      PORT: String(port),
      RUNS_API_URL: 'http://127.0.0.1:9/api/v1',
      RUNS_API_KEY: 'a-key',
      DATABASE_URL: database.url,
    };
    const startBot = (changes: Record<string, string> = {}) => {
      const child = startProgram(program, { ...environment, ...changes }, 'start');
      return { child, ended: untilExit(child) };
    };
    /** Waits until the health endpoint is up. Returns its answer. */
    const health = async () => {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        return `${answer.status} ${(await answer.text()).trim()}`;
      } catch {
        return '';
      }
    };
    const says = (words: string) => expect.poll(health).toBe(words);
    return { startBot, says, environment, slack, database: database.gate };
  }

  const linesWith = (output: string, words: string) =>
    output.split('\n').filter((line) => line.includes(words));

  it.each(['socket', 'http'] as const)(
    'waits for PostgreSQL, then for Slack, reports both, and becomes ready (%s)',
    async (mode) => {
      const { startBot, says, slack, database } = await start(mode);
      await slack.reject();
      await database.reject();
      const { child, ended } = startBot();
      await says('503 waiting for the database');
      await database.accept();
      await says('503 waiting for Slack');
      await slack.accept();
      await says('200 ok');
      child.kill('SIGTERM');
      const { code, output } = await ended;
      expect(code).toBe(0);
      expect(linesWith(output, "PostgreSQL can't be reached")).toHaveLength(1);
      expect(linesWith(output, "Slack can't be reached")).toHaveLength(1);
    },
  );

  it('waits for PostgreSQL again if that fails while it waits for Slack', async () => {
    const { startBot, says, slack, database } = await start('socket');
    await slack.reject();
    const { child, ended } = startBot();
    await says('503 waiting for Slack');
    await database.reject();
    const lines: string[] = [];
    child.stdout?.on('data', (bytes: Buffer) => lines.push(bytes.toString()));
    await slack.accept();
    await expect.poll(() => lines.join('')).toContain("The database can't be reached");
    await database.accept();
    await says('200 ok');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('waits while connections hang, and exits with 0 on SIGTERM, also if they hang later', async () => {
    const { startBot, says, slack, database } = await start('socket');
    database.hang();
    const first = startBot();
    await says('503 waiting for the database');
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject(stoppedWell);
    database.resume();
    slack.hang();
    const second = startBot();
    await says('503 waiting for Slack');
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject(stoppedWell);
    slack.resume();
    const third = startBot();
    await says('200 ok');
    database.hang();
    third.child.kill('SIGTERM');
    expect(await third.ended).toMatchObject(stoppedWell);
  });

  it("doesn't wait for a database that does not exist, but explains the problem and exits with 1", async () => {
    const { startBot, environment } = await start('socket');
    const wrong = new URL('/nowhere', environment.DATABASE_URL).href;
    const { code, output } = await startBot({ DATABASE_URL: wrong }).ended;
    expect(code).toBe(1);
    expect(output).toContain('does not exist');
    expect(output).not.toContain('    at ');
  });
});
