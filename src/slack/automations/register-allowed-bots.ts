import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/people/settings.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerView } from '../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../posting/modals.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { onClick, onOpeningClick, viewerOf } from '../runs/acting/click.ts';
import type { ReadMessage } from '../runs/reading/read-thread.ts';
import { placeOfLink } from '../runs/run-ref.ts';
import { allowBot, maxAllowedBots, readAllowedBots, removeBot } from './allowed-bots.ts';
import { allowedBotIds, readBotInput, renderAllowedBots } from './allowed-bots-view.ts';

type Deps = {
  settings: Pick<Settings, 'read' | 'change'>;
  rights: Pick<Rights, 'denyAllButAdmins'>;
  /** Rights that wait for Slack only as long as an acknowledgement can. */
  promptRights: Pick<Rights, 'denyAllButAdmins'>;
  readMessage: ReadMessage;
  botId(): string;
};

const act = 'choose which bots can start runs';

/** Registers the modal *Allowed bots*. */
export function registerAllowedBots(app: Listeners, deps: Deps): void {
  const { settings, rights, promptRights } = deps;

  onOpeningClick(app, allowedBotIds.open, async (click) => {
    const denial = await promptRights.denyAllButAdmins(click.viewer, act);
    const { teamId } = click.viewer;
    const view = denial
      ? answerView(`🔒 ${denial}`)
      : renderAllowedBots(await readAllowedBots(settings, teamId));
    await showModal(click, view);
  });

  onClick(app, allowedBotIds.remove, async ({ client, body, viewer, value }) => {
    const denial = await rights.denyAllButAdmins(viewer, act);
    if (!denial) await removeBot(settings, viewer, value);
    const view = denial
      ? answerView(`🔒 ${denial}`)
      : renderAllowedBots(await readAllowedBots(settings, viewer.teamId));
    await updateOpenModal(client, body.view?.id, view);
  });

  app.view(allowedBotIds.allow, async ({ ack, body, view, client, context }) => {
    const viewer = viewerOf(body, context.teamId);
    const { blockId, typed } = readBotInput(view.state);
    const reject = (problem: string) =>
      ack({ response_action: 'errors', errors: { [blockId]: problem } });
    const denial = await promptRights.denyAllButAdmins(viewer, act);
    if (denial) return reject(denial);
    const found = await findBot(deps, client, typed);
    if ('problem' in found) return reject(found.problem);
    if (!(await allowBot(settings, viewer, found)))
      return reject(`There are ${maxAllowedBots} bots already. Remove one first.`);
    const bots = await readAllowedBots(settings, viewer.teamId);
    await ack({ response_action: 'update', view: renderAllowedBots(bots) });
  });
}

type Found = { botId: string; name: string } | { problem: string };

/** Finds the bot of a link or an ID. Slack's name of the bot is shown, because its messages can have any name. */
async function findBot(
  { readMessage, botId: ownBotId }: Deps,
  client: Pick<WebClient, 'bots'>,
  typed: string,
): Promise<Found> {
  const place = placeOfLink(typed);
  const message = place && (await readMessage({ ...place, threadTs: place.ts }));
  if (place && !message?.bot_id) return { problem: noBotMessage };
  const botId = message?.bot_id ?? typed;
  if (!/^B[A-Z0-9]{2,30}$/.test(botId)) return { problem: noBotId };
  if (botId === ownBotId()) return { problem: "This app's own messages never start runs." };
  try {
    const { bot } = await client.bots.info({ bot: botId });
    return { botId, name: bot?.name || botId };
  } catch (error) {
    const { outcome } = readSlackFailure(error);
    return { problem: outcome === 'later' ? "Slack didn't answer. Try again." : noSuchBot };
  }
}

const noBotMessage =
  "This message isn't from a bot, or the app can't read it. Invite the app to its channel, or type the bot's ID.";
const noBotId = 'Paste a link to one of its messages, or type its ID, such as B012AB3CD.';
const noSuchBot = "Slack doesn't know a bot with this ID. Check it, or paste a link to a message.";
