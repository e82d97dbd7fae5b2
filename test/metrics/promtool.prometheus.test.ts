import { spawnSync } from 'node:child_process';
import { createMetrics } from 'base/metrics/metrics';
import { createServiceMetrics } from 'runs-service/metrics/service-metrics';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { createBotReports } from '../../src/metrics/bot-reports.ts';
import { botSeries } from '../../src/metrics/series.ts';

it('promtool finds nothing to complain about', async () => {
  const port = await freePort();
  const metrics = createMetrics({ host: '127.0.0.1', port });
  await metrics.start();
  onTestFinished(() => metrics.stop());
  createServiceMetrics(metrics);
  createBotReports(metrics.register(botSeries)).onDelivery({ kind: 'command', ackMs: 20 });
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(page).toContain('slash_agent_loop_lag_seconds{');
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: page,
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});
