import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { RunsApiError } from '../../runs-api/runs-api-error.ts';
import type { RunsClient } from '../../runs-api/runs-client.ts';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import { failureSentence } from '../failure.ts';
import { type HomeFilter, readHomeFilter, writeHomeFilter } from './home-filter.ts';
import { type HomeRow, joinRows, requestRow } from './home-rows.ts';
import { homeActions, readHomeFilterAction, renderHome, rowsShown } from './home-view.ts';

type HomeParts = {
  requests: Pick<Requests, 'recent' | 'findByRunIds'>;
  settings: Settings;
  runs: Pick<RunsClient['runs'], 'list'>;
};

/** A person waits for this page: rather the runs that we know, with a notice, than a long wait. */
const listTimeoutMs = 2_000;

/** The Home tab: recent runs, newest first, filtered by who started them. */
export function registerHome(app: App, parts: HomeParts): void {
  const publish = async (client: WebClient, teamId: string, userId: string, filter: HomeFilter) => {
    const { rows, notice } = await readRows(parts, teamId, userId, filter);
    await client.views.publish({ user_id: userId, view: renderHome({ filter, rows, notice }) });
  };

  app.event('app_home_opened', async ({ event, client, context }) => {
    if (event.tab !== 'home') return;
    const teamId = context.teamId ?? '';
    await publish(
      client,
      teamId,
      event.user,
      await readHomeFilter(parts.settings, teamId, event.user),
    );
  });

  app.action(/^home:(creator|person)$/, async ({ ack, action, body, client, context }) => {
    await ack();
    const teamId = context.teamId ?? '';
    const filter = readHomeFilterAction(action as never, body.user.id);
    if (!filter) return;
    await writeHomeFilter(parts.settings, teamId, body.user.id, filter);
    await publish(client, teamId, body.user.id, filter);
  });

  app.action(homeActions.refresh, async ({ ack, body, client, context }) => {
    await ack();
    const teamId = context.teamId ?? '';
    const filter = await readHomeFilter(parts.settings, teamId, body.user.id);
    await publish(client, teamId, body.user.id, filter);
  });

  // A link button still sends an action, which Slack wants acknowledged.
  app.action(new RegExp(`^${homeActions.open}:`), ({ ack }) => ack());
}

type Rows = { rows: HomeRow[]; notice?: string };

async function readRows(
  { requests, runs }: HomeParts,
  teamId: string,
  viewerId: string,
  filter: HomeFilter,
): Promise<Rows> {
  if (filter.creator !== 'everyone') {
    const creatorId = filter.creator === 'me' ? viewerId : filter.userId;
    const own = await requests.recent({ teamId, creatorId, limit: rowsShown });
    return { rows: own.map(requestRow) };
  }
  const ours = await requests.recent({ teamId, limit: rowsShown });
  try {
    const page = await runs.list(
      { limit: rowsShown, sort_by: 'created_at', sort_order: 'desc' },
      { timeoutMs: listTimeoutMs, maxRetries: 0 },
    );
    const listed = await requests.findByRunIds(page.runs.map((run) => run.run_id));
    const all = new Map([...ours, ...listed].map((request) => [request.id, request]));
    return { rows: joinRows(page.runs, [...all.values()]) };
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    const notice = `${failureSentence(error.code)} Below are the runs that were started here.`;
    return { rows: ours.map(requestRow), notice };
  }
}
