import { randomBytes } from 'node:crypto';
import { RespondError } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import type { Logger } from 'base/logger';
import { OutdatedViewError } from '../../posting/modals.ts';
import type { SendPrivately } from '../../posting/post-privately.ts';
import {
  isSlackError,
  rateLimited,
  readSlackFailure,
  SlackUnreachable,
} from '../../posting/slack-failure.ts';
import { escapeText } from '../../text/escape-text.ts';
import { type FailureCode, failureSentence } from '../../text/failure.ts';
import { readTypedText } from '../../text/typed-text.ts';
import { isRepeatOfKept } from './acknowledge-in-time.ts';
import type { Delivery, Step } from './delivery.ts';
import { deliveryKind, fieldsOf, isRecord, textOf } from './delivery-address.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';

type FailureDeps = { sendPrivatelyIn(teamId: string): SendPrivately; logger: Logger };

/**
 * Creates the step that handles everything that a listener throws. Before the acknowledgement, a form stays open with
 * all input and shows the failure. A command that couldn't be saved gets an answer. Events and workflow steps stay
 * unacknowledged, so that Slack repeats them. In all other cases, the failure is logged and the person is notified.
 */
export const answerFailures =
  (deps: FailureDeps): Step =>
  async (delivery, next) => {
    let isAcknowledged = isRepeatOfKept(delivery.kept);
    const ack: Delivery['ack'] = async (response) => {
      isAcknowledged = true;
      await delivery.ack(response);
    };
    try {
      await next({ ...delivery, ack });
    } catch (error) {
      const hasAnswer = !isAcknowledged && (await answerInPlace(delivery, error));
      if (!hasAnswer || !(error instanceof StoreUnavailable))
        await reportFailure(deps, delivery, error);
      else
        deps.logger.warn(
          { what: deliveryKind(delivery.body), reason: error.message },
          'Not saved; the person was notified',
        );
    }
  };

/** Acknowledges the delivery with the failure. Returns true if Slack shows the failure to the person. */
async function answerInPlace({ body, address, ack }: Delivery, error: unknown): Promise<boolean> {
  const kind = address?.kind;
  if (kind === 'event' || kind === 'function') return false;
  const sentence = failureSentence(listenerFailure(error).code);
  const [response, hasAnswer] = responseTo(body, { kind, error, sentence });
  // Ignore a failed answer, because Slack may have given up. The listener's error is the one to report.
  await Promise.allSettled([ack(response)]);
  return hasAnswer;
}

type Failure = { kind: string | undefined; error: unknown; sentence: string };

function responseTo(
  body: Delivery['body'],
  { kind, error, sentence }: Failure,
): [response: unknown, hasAnswer: boolean] {
  if (kind === 'options') return [{ options: [] }, true];
  if (kind === 'view') {
    const block = firstInput(body);
    return [
      block && { response_action: 'errors', errors: { [block]: sentence } },
      block !== undefined,
    ];
  }
  if (kind === 'command' && error instanceof StoreUnavailable) {
    const text = `⚠️ ${sentence}${typedAgain(body)}`;
    return [{ response_type: 'ephemeral', text }, true];
  }
  return [undefined, false];
}

/** Returns the ID of the form's first input, because Slack shows errors only at inputs. */
function firstInput({ view }: Delivery['body']): string | undefined {
  const blocks = isRecord(view) && Array.isArray(view['blocks']) ? view['blocks'] : [];
  return blocks.find((each) => isRecord(each) && each['type'] === 'input')?.block_id;
}

/** Reads who acted, and in which channel, thread and message. These fields differ by the kind of payload. */
function readPlace({ user_id, user, channel_id, channel, container }: Delivery['body']) {
  const { message_ts: ts, thread_ts: threadTs } = fieldsOf(container);
  return {
    user: textOf(user_id) ?? textOf(fieldsOf(user)['id']),
    channel: textOf(channel_id) ?? textOf(fieldsOf(channel)['id']),
    threadTs: textOf(threadTs),
    ts: textOf(ts),
  };
}

/**
 * Logs a failure with a short reference, and shows the person the same reference. Payloads aren't logged, because they
 * contain prompts.
 */
async function reportFailure(
  { sendPrivatelyIn, logger }: FailureDeps,
  { body, address, kept, teamId }: Delivery,
  error: unknown,
): Promise<void> {
  // Ignore a lost acknowledgement, which is already logged. Slack repeats the delivery or tells the person that it
  // failed.
  if (error instanceof AcknowledgementLost) return;
  const what = deliveryKind(body);
  // Handle a stored delivery again later, instead of telling the person that nothing was started.
  if (error instanceof StoreUnavailable && kept.retry) {
    kept.retry();
    logger.warn({ what, reason: error.message }, 'Not saved yet; it is tried again');
    return;
  }
  // Only log an answer that came too late. Slack accepts five answers to a click, within half an hour.
  if (error instanceof RespondError && error.statusCode === 404) {
    logger.info({ what }, "Couldn't answer, because Slack's address for answers has expired");
    return;
  }
  const reference = randomBytes(3).toString('hex');
  const { code, reason } = listenerFailure(error);
  const isOurs = code === 'unexpected';
  if (isOurs) logger.error({ err: error, reference, what, teamId }, 'A listener failed');
  else logger.warn({ code, reason, what, teamId }, "Couldn't answer a person");
  const { user, ...place } = readPlace(body);
  if (!user) return;
  const text = isOurs
    ? `⚠️ ${failureSentence(code)} (reference ${reference})`
    : `⌛ ${failureSentence(code)}${saysWhatNext.has(code) ? '' : whatNext(address?.kind)}${typedAgain(body)}`;
  await sendPrivatelyIn(teamId)({ user, ...place, text }, { reference });
}

/** Codes of failures with a sentence that already says what to do next. Other failures also get `whatNext`. */
const saysWhatNext = new Set<FailureCode>([
  'too_late',
  'outdated_view',
  'store_unavailable',
  'store_unsure',
]);

/**
 * Returns a sentence with the next step for the person. Commands and shortcuts only open something, but a button's work
 * may be done already.
 */
const whatNext = (kind: string | undefined): string =>
  kind === 'command' || kind === 'shortcut'
    ? ' Nothing was started or changed. Try again in a moment.'
    : ' Check whether it worked. If not, try again in a moment.';

/** Returns the typed command for the person to copy, because Slack clears it from the message field. */
function typedAgain({ command, text }: Delivery['body']): string {
  const typed = readTypedText(textOf(text) ?? '').trim();
  if (!command || !typed) return '';
  return `\n> ${escapeText(`${command} ${typed}`, 2_500).replace(/\n/g, '\n> ')}`;
}

const lateErrors = new Set(['expired_trigger_id', 'exchanged_trigger_id', 'invalid_trigger_id']);

type ListenerFailure = {
  code: FailureCode;
  /** Slack's error code for the log, never the HTML page of a proxy. */
  reason: string;
};

/**
 * Returns the code and the reason of a failure, for the person and the log. Failures of Slack and the database have
 * their own codes, because they aren't bugs of the app.
 */
export function listenerFailure(error: unknown): ListenerFailure {
  if (error instanceof OutdatedViewError) return { code: 'outdated_view', reason: error.message };
  if (error instanceof StoreUnavailable) {
    const code = error.outcome === 'undone' ? 'store_unavailable' : 'store_unsure';
    return { code, reason: error.message };
  }
  if (error instanceof RespondError) return respondFailure(error.statusCode);
  if (error instanceof SlackUnreachable)
    return { code: 'slack_trouble', reason: `response_url: ${error.message}` };
  if (!isSlackError(error)) return { code: 'unexpected', reason: 'not an error of Slack' };
  const { outcome, reason } = readSlackFailure(error);
  if (lateErrors.has(reason)) return { code: 'too_late', reason };
  if (outcome === 'rejected') return { code: 'unexpected', reason };
  return { code: reason === rateLimited ? 'slack_busy' : 'slack_trouble', reason };
}

function respondFailure(status: number): ListenerFailure {
  const reason = `response_url answered ${status}`;
  if (status === 429) return { code: 'slack_busy', reason };
  return { code: status >= 500 ? 'slack_trouble' : 'unexpected', reason };
}
