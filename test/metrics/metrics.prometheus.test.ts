import { createMetrics } from 'base/metrics/metrics';
import { createServiceMetrics } from 'runs-service/metrics/service-metrics';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { createBotReports } from '../../src/metrics/bot-reports.ts';
import { botSeries } from '../../src/metrics/series.ts';
import { startPrometheus } from './prometheus.ts';
import { alertQueries, panelQueries } from './queries.ts';

it('Prometheus scrapes the page, runs every query of the dashboard, and evaluates every alert', async () => {
  const port = await freePort();
  const metrics = createMetrics({ host: '127.0.0.1', port });
  await metrics.start();
  onTestFinished(() => metrics.stop());
  createServiceMetrics(metrics);
  createBotReports(metrics.register(botSeries)).onDelivery({ kind: 'command', ackMs: 20 });
  const { query, healthyRules } = await startPrometheus(port);
  const scraped = 'slash_agent_acknowledgement_seconds_count{kind="command"} == 1';
  await expect.poll(async () => await query(scraped)).toHaveLength(1);
  expect(panelQueries().length).toBeGreaterThan(30);
  for (const each of panelQueries()) expect(await query(each), each).toBeInstanceOf(Array);
  await expect.poll(healthyRules).toHaveLength(alertQueries().length);
});
