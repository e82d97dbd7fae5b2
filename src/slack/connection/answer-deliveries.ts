/** Every delivery is answered: what isn't ours at once, the rest by its listener. */
import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from '../../lib/logger.ts';
import type { TellPerson } from '../posting/tell-person.ts';
import { shorten } from '../text/blocks.ts';
import { type DeliveryAddress, isComplete, isRecord, readAddress } from './delivery-address.ts';
import { whatWas } from './describe-delivery.ts';
import type { Listeners } from './listeners.ts';
import type { Afterwards } from './running-work.ts';

type AnswerParts = {
  listeners: Pick<Listeners, 'has'>;
  afterwards: Afterwards;
  tellPerson: TellPerson;
  logger: Logger;
};

const tooManyEvents =
  'Slack has more events for this app than it delivers to one (30,000 an hour for each workspace). Mentions and messages of this minute may be missing.';

/**
 * Bolt leaves what no listener is for unanswered: the person waits three seconds, and Slack counts it toward disabling
 * the app's events. Made after everything else that wraps `processEvent`.
 */
export function answerEveryDelivery(app: App, parts: AnswerParts): void {
  const { listeners, logger } = parts;
  const processEvent = app.processEvent.bind(app);

  app.processEvent = async (delivery) => {
    const { body, ack } = delivery;
    const address = readAddress(body);
    if (address && listeners.has(address) && isComplete(body, address)) {
      return await processEvent(delivery);
    }
    await ack(address?.kind === 'options' ? { options: [] } : undefined);
    if (!address) logger.warn({ what: whatWas(body) }, 'Dropped a delivery that makes no sense');
    else if (address.kind === 'app_rate_limited') logger.warn(tooManyEvents);
    else if (listeners.has(address))
      logger.warn(`Dropped an incomplete delivery for ${nameOf(address)}`);
    else tellOfForeign(parts, body, address);
  };
}

function tellOfForeign(
  { logger, afterwards, tellPerson }: AnswerParts,
  body: ReceiverEvent['body'],
  address: DeliveryAddress,
): void {
  const ignored = `Ignored ${nameOf(address)}, which this app doesn't handle`;
  // Events come by the thousand where the app subscribes to more than it uses.
  logger[address.kind === 'event' ? 'debug' : 'info'](ignored);
  const click = address.kind === 'action' ? readClick(body) : undefined;
  if (click) afterwards(() => tellPerson({ ...click, text: outOfDate }, { what: address.id }));
}

const outOfDate =
  'That button is out of date, so nothing happened. Use the Home tab of this app or type `/agent help`.';

/** Undefined where nobody expects an answer: Slack itself follows the link of a button. */
function readClick({ user, channel, container, actions }: ReceiverEvent['body']) {
  const [action] = actions;
  if (!isRecord(user) || typeof user['id'] !== 'string' || action.url) return undefined;
  const channelId = isRecord(channel) ? channel['id'] : undefined;
  const threadTs = isRecord(container) ? container['thread_ts'] : undefined;
  return {
    user: user['id'],
    channel: typeof channelId === 'string' ? channelId : undefined,
    threadTs: typeof threadTs === 'string' ? threadTs : undefined,
  };
}

const words: Partial<Record<string, string>> = {
  action: 'the button or menu',
  function: 'the workflow step',
  options: 'the search',
  view: 'the form',
};

const nameOf = ({ kind, id }: DeliveryAddress): string =>
  `${words[kind] ?? `the ${kind}`} ${shorten(id, 100)}`.trim();
