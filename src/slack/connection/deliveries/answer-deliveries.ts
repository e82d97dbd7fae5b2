/** Answers deliveries that don't reach a listener. */
import type { Logger } from 'base/logger';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import type { SendPrivately } from '../../posting/post-privately.ts';
import { modal, section } from '../../text/blocks.ts';
import { shorten } from '../../text/escape-text.ts';
import type { Identity } from '../installations/installations.ts';
import type { Afterwards } from '../running-work.ts';
import type { Delivery, Step } from './delivery.ts';
import {
  type DeliveryAddress,
  deliveryKind,
  fieldsOf,
  isComplete,
  textOf,
} from './delivery-address.ts';
import type { Listeners } from './listeners.ts';

const noteArrivalsEveryMs = 60 * 60_000;

type WorkspaceDeps = {
  /** Finds the workspace of a delivery. Returns undefined if the app isn't installed there. */
  find(body: object): Promise<Pick<Identity, 'teamId'> | undefined>;
  deliveries: Pick<Deliveries, 'noteArrival'>;
  afterwards: Afterwards;
  logger: Logger;
};

/**
 * Creates the step that finds a delivery's workspace, and answers deliveries for workspaces without the app. Also notes
 * that deliveries arrive, because the doctor warns if none do.
 */
export function answerOtherWorkspaces(deps: WorkspaceDeps): Step {
  const { find, deliveries, afterwards, logger } = deps;
  const notedAt = new Map<string, number>();

  function noteArrival(teamId: string): void {
    const now = Date.now();
    if (now - (notedAt.get(teamId) ?? 0) < noteArrivalsEveryMs) return;
    notedAt.set(teamId, now);
    afterwards(() => deliveries.noteArrival(teamId));
  }

  return async (delivery, next) => {
    const { body, address, ack } = delivery;
    const installed = await find(body);
    if (installed) {
      noteArrival(installed.teamId);
      return next({ ...delivery, teamId: installed.teamId });
    }
    const what = deliveryKind(body);
    // Log at debug level if deliveries for other workspaces are normal. People there write in channels shared with
    // ours.
    const isUsual = what === 'message' || body['is_ext_shared_channel'] === true;
    logger[isUsual ? 'debug' : 'warn']({ what }, 'Dropped a delivery for another workspace');
    await ack(address && rejectionTo(address));
  };
}

type UnhandledDeps = {
  listenersOf(teamId: string): Pick<Listeners, 'has'>;
  sendPrivatelyIn(teamId: string): SendPrivately;
  afterwards: Afterwards;
  logger: Logger;
};

const tooManyEvents =
  'Slack dropped events: the workspace exceeds 30,000 events an hour. Some mentions and messages may be missing.';

/**
 * Creates the step that acknowledges deliveries without a listener, and those that a listener couldn't read. Bolt would
 * leave them unanswered, so the person would wait three seconds. Slack also disables the app's events after too many
 * unanswered ones.
 */
export function acknowledgeUnhandled(deps: UnhandledDeps): Step {
  const { listenersOf, logger } = deps;
  return async (delivery, next) => {
    const { body, address, teamId, ack } = delivery;
    const hasListener = address !== undefined && listenersOf(teamId).has(address);
    if (hasListener && isComplete(body, address)) return next(delivery);
    await ack(address?.kind === 'options' ? noOptions : undefined);
    if (!address) logger.warn({ what: deliveryKind(body) }, 'Dropped an unreadable delivery');
    else if (address.kind === 'app_rate_limited') logger.warn(tooManyEvents);
    else if (hasListener) logger.warn(`Dropped an incomplete delivery for ${nameOf(address)}`);
    else reportUnhandled(deps, { ...delivery, address });
  };
}

const noOptions = { options: [] };

function rejectionTo({ kind }: DeliveryAddress) {
  if (kind === 'options') return noOptions;
  if (kind === 'view') return { response_action: 'update', view: closedForm };
  return kind === 'command' ? notHere : undefined;
}

/**
 * Form to show after a submission in a workspace without the app. Without an answer, the form would close as if it had
 * been saved.
 */
const closedForm = modal({
  title: 'Agent runs',
  blocks: [section("⚠️ The app isn't in this workspace anymore, so nothing was done.")],
});

const notHere = {
  response_type: 'ephemeral',
  text: "Only members of the app's workspace can use it. Ask one of them.",
};

function reportUnhandled(
  { logger, afterwards, sendPrivatelyIn }: UnhandledDeps,
  { body, address, teamId }: Delivery & { address: DeliveryAddress },
): void {
  const sendPrivately = sendPrivatelyIn(teamId);
  const ignored = `Ignored ${nameOf(address)}, which this app doesn't handle`;
  // Log ignored events as debug, because there can be thousands if the app subscribes to more than it uses.
  logger[address.kind === 'event' ? 'debug' : 'info'](ignored);
  const click = address.kind === 'action' ? readClick(body) : undefined;
  if (click) afterwards(() => sendPrivately({ ...click, text: outOfDate }, { what: address.id }));
}

const outOfDate =
  "This button is out of date. Nothing happened. Use the app's Home tab or type `/agent help`.";

/**
 * Reads the person, channel, thread and message of a click. Returns undefined for link buttons, which Slack itself
 * opens.
 */
function readClick({ user, channel, container, actions }: Delivery['body']) {
  const id = textOf(fieldsOf(user)['id']);
  if (id === undefined || actions[0].url) return undefined;
  const threadTs = textOf(fieldsOf(container)['thread_ts']);
  const ts = textOf(fieldsOf(container)['message_ts']);
  return { user: id, channel: textOf(fieldsOf(channel)['id']), threadTs, ts };
}

const kindNames: Partial<Record<string, string>> = {
  action: 'the button or menu',
  function: 'the workflow step',
  options: 'the search',
  view: 'the form',
};

const nameOf = ({ kind, id }: DeliveryAddress): string =>
  `${kindNames[kind] ?? `the ${kind}`} ${shorten(id, 100)}`.trim();
