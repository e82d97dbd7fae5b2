import { statfs } from 'node:fs/promises';
import type { Meters } from 'base/metrics/registry';
import type { Backlog } from '../store/backlog.ts';
import type { SeriesName } from './series.ts';

type Gauges = Pick<Meters, 'set' | 'clear'>;

/** What only the store knows. */
export const storeSeries: readonly SeriesName[] = [
  'slash_agent_requests',
  'slash_agent_runs',
  'slash_agent_runs_api_failures',
  'slash_agent_outbox_posts',
  'slash_agent_outbox_oldest_seconds',
  'slash_agent_inbox_items',
  'slash_agent_inbox_oldest_seconds',
  'slash_agent_service_runs',
  'slash_agent_service_queue_oldest_seconds',
];

/** What the bot reads for each scrape. */
export type BotState = {
  backlog: Pick<Backlog, 'requests' | 'runs' | 'outbox' | 'inbox' | 'sweepFailures'>;
  slack: { isConnected(): boolean };
  /** `askedAt`: when it last asked the store for work (epoch milliseconds). */
  follower: { readonly askedAt: number };
};

export async function readBot({ set, clear }: Gauges, state: BotState): Promise<void> {
  set('slash_agent_slack_connected', state.slack.isConnected() ? 1 : 0);
  set('slash_agent_follower_idle_seconds', (Date.now() - state.follower.askedAt) / 1_000);
  const { backlog } = state;
  const setEach = (name: SeriesName, label: string, rows: readonly Counted[]) => {
    clear(name);
    for (const { name: value, count } of rows) set(name, count, { [label]: value });
  };
  setEach('slash_agent_requests', 'step', await backlog.requests());
  setEach('slash_agent_runs', 'state', await backlog.runs());
  const posts = await backlog.outbox();
  setEach('slash_agent_outbox_posts', 'kind', posts);
  set('slash_agent_outbox_oldest_seconds', oldestSeconds(posts));
  const items = await backlog.inbox();
  setEach('slash_agent_inbox_items', 'kind', items);
  set('slash_agent_inbox_oldest_seconds', oldestSeconds(items));
  for (const [connection, failures] of Object.entries(await backlog.sweepFailures()))
    set('slash_agent_runs_api_failures', failures, { connection });
}

/** What the runs service reads for each scrape. */
export type ServiceState = {
  backlog: Pick<Backlog, 'serviceRuns'>;
  activeRuns(): number;
  dataDir: string;
  /** How many folders of runs couldn't be deleted. */
  countQuarantined(): Promise<number>;
};

export async function readService({ set, clear }: Gauges, state: ServiceState): Promise<void> {
  set('slash_agent_service_active_runs', state.activeRuns());
  const { bavail, bsize } = await statfs(state.dataDir);
  set('slash_agent_service_free_bytes', bavail * bsize);
  set('slash_agent_service_undeleted_folders', await state.countQuarantined());
  clear('slash_agent_service_runs');
  const runs = await state.backlog.serviceRuns();
  for (const { name, count } of runs) set('slash_agent_service_runs', count, { state: name });
  const queued = runs.filter(({ name }) => name === 'QUEUED');
  set('slash_agent_service_queue_oldest_seconds', oldestSeconds(queued));
}

type Counted = { name: string; count: number };

function oldestSeconds(rows: readonly { oldestAt: number }[]): number {
  if (rows.length === 0) return 0;
  return Math.max(0, Date.now() - Math.min(...rows.map(({ oldestAt }) => oldestAt))) / 1_000;
}
