import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import { isPublicChannel } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { FoundRun } from '../runs/reading/own-runs.ts';
import { renderRow } from '../runs/showing/run-row-view.ts';
import { peopleIn, type RunRow, requestRow, runRow } from '../runs/showing/run-rows.ts';
import { isRunLink, type RunLinkParts, readRunLink } from './read-run-link.ts';
import { renderRunEntity } from './run-entity.ts';
import { createUnfurl, type LinkPreview } from './unfurl.ts';

type LinkUnfurlParts = RunLinkParts & {
  deliveries: Pick<Deliveries, 'markFirst'>;
  people: Pick<People, 'look'>;
  rights: Pick<Rights, 'refuseSee'>;
  outbox: Pick<Outbox, 'findMessage'>;
  client: WebClient;
  logger: Logger;
};

const mostLinks = 5;
const lookAgainMs = 1_000;

/** Shows a card for a link to a run, posted or still being written, if everyone who sees it may see the run. */
export function registerLinkUnfurl(app: Listeners, parts: LinkUnfurlParts): void {
  const unfurl = createUnfurl(parts.client, parts.logger);
  app.event('link_shared', async ({ event, body, context }) => {
    const teamId = context.teamId ?? '';
    if (body.is_ext_shared_channel) return;
    if (await parts.rights.refuseSee({ teamId, userId: event.user })) return;
    const previews: LinkPreview[] = [];
    const urls = (event.links ?? []).flatMap(({ url }) => url ?? []);
    for (const url of urls.slice(0, mostLinks)) {
      const linked = await readTwice(parts, teamId, url);
      if (!linked || !(await mayBeShownIn(parts, linked, event.channel))) continue;
      previews.push(await renderPreview(parts, linked, url));
    }
    if (previews.length === 0) return;
    // A repeated delivery is ignored. A crash may lose a card, which is harmless.
    if (!(await parts.deliveries.markFirst(`card ${body.event_id}`))) return;
    await unfurl(event, previews);
  });
}

/** Looks twice: Slack shows a run message shortly before the store has its link. */
async function readTwice(
  parts: LinkUnfurlParts,
  teamId: string,
  url: string,
): Promise<FoundRun | undefined> {
  const found = await readRunLink(parts, teamId, url);
  if (found || !isRunLink(parts, url)) return found;
  await sleep(lookAgainMs);
  return readRunLink(parts, teamId, url);
}

/** A card for a run in a private conversation is only shown there. */
async function mayBeShownIn(
  { client, outbox }: Pick<LinkUnfurlParts, 'client' | 'outbox'>,
  linked: FoundRun,
  conversation: string,
): Promise<boolean> {
  if ('run' in linked) return true;
  const message = await outbox.findMessage(linked.request.id);
  const home = message?.channelId ?? linked.request.channelId;
  if (home === conversation) return true;
  return isPublicChannel(client, home).catch((error: unknown) => {
    readSlackFailure(error);
    return false;
  });
}

/** Has no menu, because everyone sees the same card with different rights, and no prompt and no error. */
async function renderPreview(
  { people }: Pick<LinkUnfurlParts, 'people'>,
  linked: FoundRun,
  url: string,
): Promise<LinkPreview> {
  const row = 'run' in linked ? runRow(linked) : requestRow(linked.request);
  const blocks = renderRunCard(row, await people.look(peopleIn([row])));
  return { url, entity: renderRunEntity(row, url), blocks };
}

export const renderRunCard = (row: RunRow, people: Awaited<ReturnType<People['look']>>) =>
  renderRow(row, { userId: '', canCancelAll: false, people });
