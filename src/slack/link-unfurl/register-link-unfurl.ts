import type { KnownBlock } from '@slack/types';
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
import { peopleIn, requestRow, runRow } from '../runs/showing/run-rows.ts';
import { type RunEntity, renderRunCard, renderRunEntity } from './run-card.ts';
import type { RunLinks } from './run-links.ts';

type LinkUnfurlDeps = {
  runLinks: RunLinks;
  deliveries: Pick<Deliveries, 'markFirst'>;
  people: Pick<People, 'look'>;
  rights: Pick<Rights, 'denySee'>;
  outbox: Pick<Outbox, 'findMessage'>;
  client: WebClient;
  logger: Logger;
};

const maxLinks = 5;
const retryAfterMs = 1_000;

/**
 * Registers the cards for links to runs. A card appears if everyone in the conversation is allowed to see the run, even
 * in a draft.
 */
export function registerLinkUnfurl(app: Listeners, deps: LinkUnfurlDeps): void {
  const unfurl = createUnfurl(deps.client, deps.logger);
  app.event('link_shared', async ({ event, body, context }) => {
    const teamId = context.teamId ?? '';
    if (body.is_ext_shared_channel) return;
    if (await deps.rights.denySee({ teamId, userId: event.user })) return;
    const previews: LinkPreview[] = [];
    const urls = (event.links ?? []).flatMap(({ url }) => url ?? []);
    for (const url of urls.slice(0, maxLinks)) {
      const linked = await readTwice(deps.runLinks, teamId, url);
      if (!linked || !(await canBeShownIn(deps, linked, event.channel))) continue;
      previews.push(await renderPreview(deps, linked, url));
    }
    if (previews.length === 0) return;
    // Mark the delivery before showing cards, so that a repeated delivery shows none. A crash may lose a card, which
    // is harmless.
    if (!(await deps.deliveries.markFirst(`card ${body.event_id}`))) return;
    await unfurl(event, previews);
  });
}

/**
 * Reads a link's run, and tries again after a moment if there is none. Slack shows a run message shortly before the
 * store has its link.
 */
async function readTwice(
  runLinks: RunLinks,
  teamId: string,
  url: string,
): Promise<FoundRun | undefined> {
  const found = await runLinks.read(teamId, url);
  if (found || !runLinks.isRunLink(url)) return found;
  await sleep(retryAfterMs);
  return runLinks.read(teamId, url);
}

/** Returns true if the run belongs to this conversation, to a public one, or to none. */
async function canBeShownIn(
  { client, outbox }: Pick<LinkUnfurlDeps, 'client' | 'outbox'>,
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

/** Renders the card without menu, prompt and error, because people with different rights see the same card. */
async function renderPreview(
  { people }: Pick<LinkUnfurlDeps, 'people'>,
  linked: FoundRun,
  url: string,
): Promise<LinkPreview> {
  const row = 'run' in linked ? runRow(linked) : requestRow(linked.request);
  const blocks = renderRunCard(row, await people.look(peopleIn([row])));
  return { url, entity: renderRunEntity(row, url), blocks };
}

/** Message or draft that has the links. */
type UnfurlPlace = {
  channel: string;
  message_ts: string;
  unfurl_id?: string;
  source?: string;
};

/** Preview of one link as a work object, and as blocks in case Slack doesn't show work objects. */
type LinkPreview = { url: string; entity: RunEntity; blocks: KnownBlock[] };

type Unfurl = (place: UnfurlPlace, previews: readonly LinkPreview[]) => Promise<void>;

/**
 * Creates a function that shows previews as work objects, or as blocks if the app's manifest doesn't declare work
 * objects.
 */
export function createUnfurl(client: Pick<WebClient, 'chat'>, logger: Logger): Unfurl {
  let isLogged = false;

  function note(reason: string): void {
    if (isLogged) return;
    isLogged = true;
    logger.info(
      { reason },
      "Slack doesn't take work objects, so links to runs are shown as blocks",
    );
  }

  return async (place, previews) => {
    const at = whereOf(place);
    const entities = previews.map(({ entity }) => entity);
    const rejection = await readRejection(client.chat.unfurl({ ...at, metadata: { entities } }));
    if (!rejection) return;
    const unfurls = Object.fromEntries(previews.map(({ url, blocks }) => [url, { blocks }]));
    // Try blocks after Slack rejects work objects. It rejects both if the message is gone or changed, or its author
    // removed the preview.
    if (!(await readRejection(client.chat.unfurl({ ...at, unfurls })))) note(rejection);
  };
}

function whereOf({ channel, message_ts: ts, unfurl_id: id, source }: UnfurlPlace) {
  return source === 'composer' && id !== undefined
    ? ({ unfurl_id: id, source: 'composer' } as const)
    : { channel, ts };
}

/** Returns Slack's reason for not showing previews. The reason can also be a warning in a successful response. */
async function readRejection(
  call: ReturnType<WebClient['chat']['unfurl']>,
): Promise<string | undefined> {
  try {
    const { warning } = await call;
    return warning?.includes('metadata') ? warning : undefined;
  } catch (error) {
    const failure = readSlackFailure(error);
    if (failure.outcome === 'later') throw error;
    return failure.reason;
  }
}
