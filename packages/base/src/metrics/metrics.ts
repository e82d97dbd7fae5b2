import { createServer } from 'node:http';
import { Registry } from 'prom-client';
import { requestLimits } from '../http/http-limits.ts';
import { closeNow, listenOn } from '../http/http-server.ts';
import { withSoftTimeout } from '../time/soft-timeout.ts';
import { watchProcess } from './process-readings.ts';
import { createMeters, type Meters } from './registry.ts';
import { processSeries, type Series } from './series.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Sets gauges at each scrape. `clear` removes their values, because outdated ones would look current. */
export type Reader = { read(): Promise<void>; clear(): void };

/** Max time of reading values for a scrape, in ms. Prometheus waits ten seconds. */
const readWithinMs = 5_000;

/**
 * Collects reported values, and serves them on a separate port, because the other ports can be public. Values of the store
 * are read at each scrape, so they're right after a restart and with several replicas. See docs/metrics.md.
 */
export function createMetrics({ host, port }: { host: string; port: number }) {
  const registry = new Registry();
  const own = createMeters(registry, processSeries);
  const readers: Reader[] = [];
  let watched: ReturnType<typeof watchProcess> | undefined;

  async function read(): Promise<string> {
    watched?.read();
    const all = Promise.all(readers.map((each) => each.read()));
    const isRead = await withSoftTimeout(all, readWithinMs).catch(() => undefined);
    own.set('slash_agent_scrape_problems', isRead ? 0 : 1);
    if (!isRead) for (const each of readers) each.clear();
    return registry.metrics();
  }

  const server = createServer(requestLimits, (request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    if (!isMetrics) return void response.writeHead(404).end();
    read().then(
      (text) => response.setHeader('content-type', 'text/plain; version=0.0.4').end(text),
      () => response.writeHead(500).end(),
    );
  });

  return {
    async start(): Promise<void> {
      watched = watchProcess(own);
      await listenOn(server, { host, port });
    },

    async stop(): Promise<void> {
      watched?.stop();
      await closeNow(server);
    },

    /** Adds a product's series. Returns the functions that report their values. */
    register: <Name extends string>(series: Readonly<Record<Name, Series>>): Meters<Name> =>
      createMeters(registry, series),

    /** Adds a reader that runs at each scrape. */
    addReader: (reader: Reader): void => void readers.push(reader),

    onStatement({ kind, outcome, ms }: { kind: string; outcome: string; ms: number }): void {
      own.count('slash_agent_database_statements_total', { kind, outcome });
      own.observe('slash_agent_database_seconds', ms / 1_000, { kind });
    },
  };
}

type Counted = { oldestAt: number };

/** Returns the age of the oldest row in seconds, or 0 without any rows. */
export function oldestSeconds(rows: readonly Counted[]): number {
  if (rows.length === 0) return 0;
  return Math.max(0, Date.now() - Math.min(...rows.map(({ oldestAt }) => oldestAt))) / 1_000;
}
