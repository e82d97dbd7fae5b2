/** Answers every delivery. Those without a listener, and those for another workspace, are acknowledged at once. */
import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'base/logger';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import type { SendPrivately } from '../../posting/post-privately.ts';
import { modal, section } from '../../text/blocks.ts';
import { shorten } from '../../text/escape-text.ts';
import type { Identity } from '../installations/installation.ts';
import type { Afterwards } from '../running-work.ts';
import {
  type DeliveryAddress,
  deliveryKind,
  fieldsOf,
  isComplete,
  readAddress,
  textOf,
} from './delivery-address.ts';
import type { Listeners } from './listeners.ts';

type AnswerParts = {
  /** Who the app is for a delivery; undefined if it isn't installed there. */
  find(body: object): Promise<Pick<Identity, 'teamId'> | undefined>;
  listenersOf(teamId: string): Pick<Listeners, 'has'>;
  afterwards: Afterwards;
  sendPrivatelyIn(teamId: string): SendPrivately;
  deliveries: Pick<Deliveries, 'noteArrival'>;
  logger: Logger;
};

const noteArrivalsEveryMs = 60 * 60_000;

const tooManyEvents =
  'Slack dropped events: the workspace exceeds 30,000 events an hour. Some mentions and messages may be missing.';

/**
 * Bolt doesn't answer deliveries without a listener: the person waits three seconds, and Slack counts it toward disabling
 * the app's events. Call this after everything else that wraps `processEvent`.
 */
export function answerEveryDelivery(app: App, parts: AnswerParts): void {
  const { logger } = parts;
  const processEvent = app.processEvent.bind(app);
  const notedAt = new Map<string, number>();

  /** The doctor looks for it: without deliveries, the app is wrongly set up at Slack. */
  function noteArrival(teamId: string): void {
    const now = Date.now();
    if (now - (notedAt.get(teamId) ?? 0) < noteArrivalsEveryMs) return;
    notedAt.set(teamId, now);
    parts.afterwards(() => parts.deliveries.noteArrival(teamId));
  }

  app.processEvent = async (delivery) => {
    const { body, ack } = delivery;
    const address = readAddress(body);
    const us = await parts.find(body);
    if (!us) {
      const what = deliveryKind(body);
      // Other companies and workspaces of an organization write in the channels that they share with ours.
      const isUsual = what === 'message' || body['is_ext_shared_channel'] === true;
      logger[isUsual ? 'debug' : 'warn']({ what }, 'Dropped a delivery for another workspace');
      return await ack(address && refusalTo(address));
    }
    noteArrival(us.teamId);
    const listeners = parts.listenersOf(us.teamId);
    if (address && listeners.has(address) && isComplete(body, address)) {
      return await processEvent(delivery);
    }
    await ack(address?.kind === 'options' ? noOptions : undefined);
    if (!address) logger.warn({ what: deliveryKind(body) }, 'Dropped an unreadable delivery');
    else if (address.kind === 'app_rate_limited') logger.warn(tooManyEvents);
    else if (listeners.has(address))
      logger.warn(`Dropped an incomplete delivery for ${nameOf(address)}`);
    else reportUnhandled(parts, body, address, us.teamId);
  };
}

const noOptions = { options: [] };

/** Other people than those who command this app see nothing: the app can't write to them. */
function refusalTo({ kind }: DeliveryAddress) {
  if (kind === 'options') return noOptions;
  if (kind === 'view') return { response_action: 'update', view: closedForm };
  return kind === 'command' ? notHere : undefined;
}

/** Without an answer, a form closes as if it had been sent. */
const closedForm = modal({
  title: 'Agent runs',
  blocks: [section("⚠️ The app isn't in this workspace anymore, so nothing was done.")],
});

const notHere = {
  response_type: 'ephemeral',
  text: "Only members of the app's workspace can use it. Ask one of them.",
};

function reportUnhandled(
  { logger, afterwards, sendPrivatelyIn }: AnswerParts,
  body: ReceiverEvent['body'],
  address: DeliveryAddress,
  teamId: string,
): void {
  const sendPrivately = sendPrivatelyIn(teamId);
  const ignored = `Ignored ${nameOf(address)}, which this app doesn't handle`;
  // There are thousands of events if the app subscribes to more than it uses.
  logger[address.kind === 'event' ? 'debug' : 'info'](ignored);
  const click = address.kind === 'action' ? readClick(body) : undefined;
  if (click) afterwards(() => sendPrivately({ ...click, text: outOfDate }, { what: address.id }));
}

const outOfDate =
  "This button is out of date. Nothing happened. Use the app's Home tab or type `/agent help`.";

/** Undefined if nobody expects an answer: Slack itself opens the link of a button. */
function readClick({ user, channel, container, actions }: ReceiverEvent['body']) {
  const id = textOf(fieldsOf(user)['id']);
  if (id === undefined || actions[0].url) return undefined;
  const threadTs = textOf(fieldsOf(container)['thread_ts']);
  const ts = textOf(fieldsOf(container)['message_ts']);
  return { user: id, channel: textOf(fieldsOf(channel)['id']), threadTs, ts };
}

const words: Partial<Record<string, string>> = {
  action: 'the button or menu',
  function: 'the workflow step',
  options: 'the search',
  view: 'the form',
};

const nameOf = ({ kind, id }: DeliveryAddress): string =>
  `${words[kind] ?? `the ${kind}`} ${shorten(id, 100)}`.trim();
