import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../packages/base/test/support/bundle.ts';
import { freePort } from '../packages/base/test/support/free-port.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from './support/network/api-gate.ts';
import { general, runMessagesIn, textOf } from './support/product/product.ts';
import { impatientMs, patience } from './support/product/waits.ts';

const stoppedWell = { code: 0, output: expect.stringContaining('Stopped.') };

describe('SIGTERM stops the bot with 0, and the next start continues its work', () => {
  const program = bundle('test/support/product/bot-with-wait.ts');

  /** Starts everything around the bot. Returns a function that starts the bot as a process. */
  async function start(mode: 'socket' | 'http' = 'socket') {
    const environments = [shellEnvironment('echo done', { default: true })];
    const { service, request } = await startRunsService({ environments });
    const gate = await startApiGate(service.apiUrl);
    const manifest = readManifest(new URL('../manifest.yml', import.meta.url).pathname);
    const logger = createLogger('silent');
    // Slack retries until a bot runs again, however long its start takes.
    const retryDelaysMs = Array<number>(100).fill(1_000);
    const workspace = createLocalWorkspace({ manifest, logger, keepTriggers: true, retryDelaysMs });
    await workspace.start();
    onTestFinished(() => workspace.stop());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/slack/events`;
    if (mode === 'http') workspace.deliverTo({ mode, url });
    const delivery =
      mode === 'http'
        ? { SLACK_SIGNING_SECRET: workspace.signingSecret, PORT: `${port}` }
        : { SLACK_APP_TOKEN: workspace.appToken };
    const environment = {
      ...delivery,
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_API_URL: workspace.apiUrl,
      RUNS_API_URL: gate.baseUrl,
      RUNS_API_KEY: testKey,
      DATABASE_URL: `sqlite:${join(temporaryFolder(), 'bot.db')}`,
    };
    let connections = 0;
    workspace.subscribe((change) => {
      if (change.type === 'socket') connections = change.connections;
    });
    const isUp = async () => {
      if (mode === 'socket') return connections > 0;
      return await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    const startBot = async ({ ackWaitMs = patience.ackWaitMs } = {}) => {
      const child = startProgram(program, { ...environment, ACK_WAIT_MS: `${ackWaitMs}` });
      const ended = untilExit(child);
      // Don't wait for a bot that has exited.
      await expect.poll(async () => child.exitCode !== null || (await isUp())).toBe(true);
      if (child.exitCode !== null) throw new Error((await ended).output);
      const terminate = () => child.kill('SIGTERM');
      /** The process exits with 1 if stopping takes too long. */
      const expectStopped = async () => expect(await ended).toMatchObject(stoppedWell);
      /** Waits until the bot accepts nothing anymore. */
      const close = async () => {
        terminate();
        await expect.poll(isUp).toBe(false);
      };
      return { terminate, close, expectStopped };
    };
    const runs = async () =>
      ((await (await request('/agent/runs')).json()) as { runs: { prompt: string }[] }).runs;
    const struck = (name: 'answer_delayed') =>
      workspace.until(() => workspace.faults.struck()[name]);
    const ada = workspace.as('ada');
    /** Expects one finished run and its message. */
    const expectOneRun = async () => {
      await workspace.until(() => textOf(runMessagesIn(workspace)).includes('Succeeded'));
      await workspace.settled();
      expect(runMessagesIn(workspace)).toHaveLength(1);
      expect(await runs()).toHaveLength(1);
    };
    return { workspace, gate, ada, port, startBot, struck, expectOneRun, runs };
  }

  it.each([
    ["hasn't answered yet", 2_000],
    ["doesn't answer at all", 30_000],
  ])('while Slack has received a post and %s', async (_, delayMs) => {
    const { workspace, ada, startBot, struck, expectOneRun } = await start();
    const bot = await startBot();
    const method = 'chat.postMessage';
    await workspace.faults.inject({ name: 'answer_delayed', method, delayMs });
    await ada.types(general, '/agent run count');
    await struck('answer_delayed');
    bot.terminate();
    await bot.expectStopped();
    await startBot();
    await expectOneRun();
  });

  it("while Slack doesn't answer any calls of the follower or listeners", async () => {
    const { workspace, ada, startBot, struck, expectOneRun } = await start();
    const bot = await startBot();
    // Let the app look up Ada before Slack hangs, because it doesn't start runs for unknown people.
    await ada.types(general, '/agent list');
    await workspace.until(() => ada.sees(general).some(({ text }) => text.includes('run')));
    await workspace.faults.inject({ name: 'answer_delayed', times: 100, delayMs: 60_000 });
    await ada.types(general, '/agent run count');
    await ada.types(general, '/agent');
    await struck('answer_delayed');
    bot.terminate();
    await bot.expectStopped();
    workspace.faults.clear();
    await startBot();
    await expectOneRun();
  });

  it.each([
    ['half of the headers', 'POST /slack/events HTTP/1.1\r\nHost: bot\r\nContent-'],
    [
      'half of the body',
      'POST /slack/events HTTP/1.1\r\nHost: bot\r\nContent-Length: 9\r\n\r\nhalf',
    ],
  ])('while a client has sent %s', async (_, half) => {
    const { startBot, port } = await start('http');
    const bot = await startBot();
    const client = connect(port, '127.0.0.1');
    const closed = once(client, 'close');
    client.on('error', () => undefined);
    client.write(half);
    await once(client, 'connect');
    // This answer shows that the half request has arrived.
    await fetch(`http://127.0.0.1:${port}/healthz`);
    bot.terminate();
    await bot.expectStopped();
    await closed;
  });

  it("while the runs service has received a create and hasn't answered yet", async () => {
    const { ada, gate, startBot, expectOneRun } = await start();
    const bot = await startBot();
    const isCreate = (path: string, method: string) =>
      method === 'POST' && path.endsWith('/agent/run');
    const { reached } = gate.holdAnswers(isCreate);
    await ada.types(general, '/agent run count');
    await reached;
    bot.terminate();
    await bot.expectStopped();
    gate.pass();
    await startBot();
    await expectOneRun();
  });

  it.each(['socket', 'http'] as const)(
    'while a listener checks a submitted form (%s)',
    async (mode) => {
      const { workspace, ada, startBot, struck, expectOneRun } = await start(mode);
      const bot = await startBot();
      await ada.usesGlobalShortcut('global-shortcut:run');
      await workspace.until(() => ada.modal());
      const method = 'conversations.info';
      await workspace.faults.inject({ name: 'answer_delayed', method, delayMs: 700 });
      const submitted = ada.submits({ prompt: 'count', channel: general });
      await struck('answer_delayed');
      bot.terminate();
      await submitted;
      await bot.expectStopped();
      await startBot();
      // The form stays open without an acknowledgement. Submitting it again repeats the same request.
      if (ada.modal()) await ada.submits({ prompt: 'count', channel: general });
      await expectOneRun();
    },
  );

  it.each([
    ['slow', 1_500],
    ['silent', 60_000],
  ])('while an acknowledged click is handled, and Slack is %s', async (_, delayMs) => {
    const { workspace, ada, startBot, struck, expectOneRun, runs } = await start('http');
    const bot = await startBot({ ackWaitMs: impatientMs });
    await ada.types(general, '/agent run count');
    await expectOneRun();
    const [message] = runMessagesIn(workspace);
    const method = 'chat.getPermalink';
    await workspace.faults.inject({ name: 'answer_delayed', method, delayMs });
    await ada.clicks({ channelId: general, messageTs: message?.ts ?? '' }, 'run:again');
    await struck('answer_delayed');
    bot.terminate();
    await bot.expectStopped();
    await startBot();
    const isOver = () =>
      runMessagesIn(workspace).filter((each) => textOf(each).includes('Succeeded'));
    await workspace.until(() => isOver().length === 2);
    expect(await runs()).toHaveLength(2);
  });

  it.each(['socket', 'http'] as const)(
    'and accepts nothing in the meantime: Slack reports an error or repeats the event (%s)',
    async (mode) => {
      const { workspace, ada, startBot, struck, runs } = await start(mode);
      const bot = await startBot();
      const method = 'chat.postMessage';
      await workspace.faults.inject({ name: 'answer_delayed', method, delayMs: 3_000 });
      await ada.types(general, '/agent run first');
      await struck('answer_delayed');
      await bot.close();
      const typed = await ada.types(general, '/agent run second');
      expect(typed.outcome).toMatchObject({ acked: false, error: 'dispatch_failed' });
      await ada.types(general, `<@${workspace.bot.userId}> third`);
      await bot.expectStopped();
      await startBot();
      const isOver = () =>
        runMessagesIn(workspace).filter((each) => textOf(each).includes('Succeeded'));
      await workspace.until(() => isOver().length === 2);
      await workspace.settled();
      expect(runMessagesIn(workspace)).toHaveLength(2);
      const prompts = (await runs()).map(({ prompt }) => prompt).toSorted();
      expect(prompts).toEqual(['first', expect.stringContaining('third')]);
    },
  );
});
