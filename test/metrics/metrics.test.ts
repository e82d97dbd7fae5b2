import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from 'base/metrics/metrics';
import { processSeries } from 'base/metrics/series';
import { readRunsServiceConfig } from 'runs-service/config/runs-service-config';
import { serviceSeries } from 'runs-service/metrics/series';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { createLineLogger } from '../../packages/base/test/support/line-logger.ts';
import { testEncryptionKey } from '../../packages/base/test/support/test-key.ts';
import {
  shellEnvironment,
  temporaryFolder,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { createBotReader } from '../../src/metrics/bot-readings.ts';
import { botSeries } from '../../src/metrics/series.ts';
import { general, runMessagesIn, startProduct, textOf } from '../support/product/product.ts';

const host = '127.0.0.1';

/** Starts a bot with the embedded runs service, on free ports, and lets two runs end. */
async function startMeasured() {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const folder = temporaryFolder();
  const file = join(folder, 'environments.yml');
  const shell = shellEnvironment('case "$AGENT_PROMPT" in fail*) exit 3;; esac; echo done');
  writeFileSync(file, JSON.stringify({ environments: [shell] }));
  const embedded = readRunsServiceConfig({
    RUNS_SERVICE_ALLOW_ROOT: 'true',
    RUNS_SERVICE_ENVIRONMENTS: file,
    RUNS_SERVICE_PORT: '0',
    DATA_DIR: join(folder, 'data'),
    PATH: process.env['PATH'],
    ENCRYPTION_KEY: testEncryptionKey,
  });
  const { startBot, workspace, ada } = await startProduct({
    runsApi: { embedded },
    health: { host, port },
    metrics: { host, port: metricsPort },
  });
  const { logger, lines } = createLineLogger();
  await startBot({}, logger);
  await ada.types(general, '/agent run greet the harbor');
  await ada.types(general, '/agent run fail in the harbor');
  const shows = (words: string) =>
    runMessagesIn(workspace).some((message) => textOf(message).includes(words));
  await workspace.until(() => shows('Succeeded') && shows('Failed'));
  const get = async (path: string, at = metricsPort) => {
    const answer = await fetch(`http://${host}:${at}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return { get, port, lines };
}

it('after two runs, an operator has a value of every series, no words of people, and log lines with ids', async () => {
  const { get, port, lines } = await startMeasured();
  const hasValue = (text: string) => (name: string) =>
    new RegExp(`^${name}(_count)?(\\{.*\\})? `, 'm').test(text);
  // Gauges of waiting things have no value while nothing waits, and no automation is fired here.
  const mightBeEmpty = [
    ...['requests', 'runs', 'outbox_posts', 'inbox_items', 'service_runs'],
    'automation_firings_total',
  ];
  const wanted = Object.keys({ ...botSeries, ...serviceSeries, ...processSeries }).filter(
    (name) =>
      !mightBeEmpty.includes(name.replace('slash_agent_', '')) && !name.includes('_service_model_'),
  );
  await expect
    .poll(async () => {
      const { text } = await get('/metrics');
      return wanted.filter((name) => !hasValue(text)(name));
    })
    .toEqual([]);
  const { text } = await get('/metrics');
  expect(text).not.toMatch(/harbor|greet|\bU0\w+|C04GENERAL1|[0-9a-f]{8}-[0-9a-f]{4}-/i);
  expect(text).toMatch(/^slash_agent_runs_ended_total\{state="succeeded"\} 1$/m);
  expect(text).toMatch(/^slash_agent_runs_ended_total\{state="failed"\} 1$/m);
  expect(text).toMatch(
    /^slash_agent_deliveries_total\{kind="command",outcome="acknowledged"\} 2$/m,
  );
  expect(text).toMatch(/^slash_agent_message_seconds_count\{kind="run-message"\} 2$/m);
  expect(text).toMatch(
    /^slash_agent_service_run_seconds_count\{environment="shell",state="FAILED"\} 1$/m,
  );
  expect(text).toMatch(/^slash_agent_slack_connected 1$/m);
  expect(text).toMatch(/^slash_agent_scrape_problems 0$/m);
  const [created] = lines.filter(({ msg }) => msg === 'run created');
  const id = expect.any(String);
  expect(created).toMatchObject({ requestId: id, teamId: id, runId: id });
  expect((await get('/metrics', port)).status).toBe(404);
  expect((await get('/healthz')).status).toBe(404);
  expect(await get('/readyz', port)).toEqual({ status: 200, text: 'ok\n' });
});

it('while the store is away, nothing of an earlier scrape is shown', async () => {
  const port = await freePort();
  const metrics = createMetrics({ host, port });
  await metrics.start();
  onTestFinished(() => metrics.stop());
  let isAway = false;
  const waiting = async () => {
    if (isAway) throw new Error('away');
    return [{ name: 'x', count: 2, oldestAt: 1 }];
  };
  const state = {
    backlog: {
      requests: waiting,
      runs: waiting,
      outbox: waiting,
      inbox: waiting,
      sweepFailures: async () => ({ default: 0, added: 0, own: 0 }),
    },
    slack: { isConnected: () => true },
    follower: { askedAt: Date.now() },
  };
  metrics.addReader(createBotReader(metrics.register(botSeries), state));
  const read = async () => (await fetch(`http://${host}:${port}/metrics`)).text();
  expect(await read()).toMatch(/^slash_agent_outbox_oldest_seconds \d{6}/m);
  isAway = true;
  const text = await read();
  expect(text).toMatch(/^slash_agent_scrape_problems 1$/m);
  expect(text).toMatch(/^slash_agent_slack_connected 1$/m);
  expect(text).not.toMatch(/^slash_agent_(requests|runs|outbox_\w+|inbox_\w+)[ {]/m);
});
