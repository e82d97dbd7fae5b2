import { createServer } from 'node:http';
import { requestLimits } from 'base/http/http-limits';
import { closeNow, listenOn } from 'base/http/http-server';
import { watchProcess } from 'base/metrics/process-readings';
import { createMeters } from 'base/metrics/registry';
import type { Part } from 'base/process/run-until-signaled';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { createServiceReports } from 'runs-service/metrics/service-reports';
import { createBotReports } from './bot-reports.ts';
import {
  type BotState,
  readBot,
  readService,
  type ServiceState,
  storeSeries,
} from './store-readings.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus gives up after ten seconds. */
const readWithinMs = 5_000;

/**
 * Counts reports of parts and serves them on a separate port, because the other ports can be public. A part gets optional
 * functions (`onWork`, `onSlackCall`); without `METRICS_PORT` there are none, and nothing is measured. Values from the
 * store are read at each scrape, so they're right after a restart too. See docs/metrics.md.
 */
export function createMetrics({ host, port }: { host: string; port: number }) {
  const meters = createMeters();
  const reports = {
    ...createBotReports(meters),
    ...createServiceReports(meters),
    onStatement({ kind, outcome, ms }: { kind: string; outcome: string; ms: number }): void {
      meters.count('slash_agent_database_statements_total', { kind, outcome });
      meters.observe('slash_agent_database_seconds', ms / 1_000, { kind });
    },
  };
  const readers: (() => Promise<void>)[] = [];
  let watched: ReturnType<typeof watchProcess> | undefined;

  async function read(): Promise<string> {
    watched?.read();
    const all = Promise.all(readers.map((each) => each()));
    const isRead = await withSoftTimeout(all, readWithinMs).catch(() => undefined);
    meters.set('slash_agent_scrape_problems', isRead ? 0 : 1);
    // Values of the last scrape would look like news.
    if (!isRead) for (const name of storeSeries) meters.clear(name);
    return meters.text();
  }

  const server = createServer(requestLimits, (request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    if (!isMetrics) return void response.writeHead(404).end();
    read().then(
      (text) => response.setHeader('content-type', 'text/plain; version=0.0.4').end(text),
      () => response.writeHead(500).end(),
    );
  });

  const part: Part = {
    async start() {
      watched = watchProcess(meters);
      await listenOn(server, { host, port });
    },
    async stop() {
      watched?.stop();
      await closeNow(server);
    },
  };
  return {
    ...part,
    reports,
    watchBot: (state: BotState) => void readers.push(() => readBot(meters, state)),
    watchService: (state: ServiceState) => void readers.push(() => readService(meters, state)),
  };
}
