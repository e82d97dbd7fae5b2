import { oldestSeconds, type Reader } from 'base/metrics/metrics';
import type { Meters } from 'base/metrics/registry';
import type { Backlog } from '../store/backlog.ts';
import type { botSeries } from './series.ts';

type SeriesName = keyof typeof botSeries;

/** Names of the gauges whose values come from the store. */
const storeSeries: readonly SeriesName[] = [
  'slash_agent_requests',
  'slash_agent_runs',
  'slash_agent_runs_api_failures',
  'slash_agent_outbox_posts',
  'slash_agent_outbox_oldest_seconds',
  'slash_agent_inbox_items',
  'slash_agent_inbox_oldest_seconds',
];

type BotState = {
  backlog: Pick<Backlog, 'requests' | 'runs' | 'outbox' | 'inbox' | 'sweepFailures'>;
  slack: { isConnected(): boolean };
  /** `askedAt`: time when the store last answered the follower, in epoch ms. */
  follower: { readonly askedAt: number };
};

/** Creates the reader of the bot's gauges, which runs at each scrape. */
export function createBotReader(
  { set, clear }: Meters<SeriesName>,
  { backlog, slack, follower }: BotState,
): Reader {
  const setEach = (
    name: SeriesName,
    label: string,
    rows: readonly { name: string; count: number }[],
  ) => {
    clear(name);
    for (const { name: value, count } of rows) set(name, count, { [label]: value });
  };
  return {
    async read() {
      set('slash_agent_slack_connected', slack.isConnected() ? 1 : 0);
      set('slash_agent_follower_idle_seconds', (Date.now() - follower.askedAt) / 1_000);
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
    },
    clear: () => storeSeries.forEach(clear),
  };
}
