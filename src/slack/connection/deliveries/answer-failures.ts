import type { AnyMiddlewareArgs, App } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import type { Logger } from 'base/logger';
import { failureSentence } from '../../text/failure.ts';
import { deliveryKind, isRecord, readAddress } from './delivery-address.ts';
import { typedAgain } from './error-handler.ts';
import { isRepeatOfKept } from './kept-deliveries.ts';
import { listenerFailure } from './listener-failure.ts';

/**
 * Acknowledges a delivery if its listener failed before it did. A form stays open with all input and shows what happened;
 * a command that couldn't be saved gets an answer. In all other cases `app.error` notifies the person. Events and workflow
 * steps stay unacknowledged, so that Slack repeats them. Register this before everything that reads the store.
 */
export function answerFailures(app: App, logger: Logger): void {
  const acknowledged = new WeakSet<object>();
  const processEvent = app.processEvent.bind(app);
  app.processEvent = (event) =>
    processEvent({
      ...event,
      ack: async (response) => {
        acknowledged.add(event.body);
        await event.ack(response);
      },
    });

  app.use(async (args) => {
    try {
      await args.next();
    } catch (error) {
      if (acknowledged.has(args.body) || isRepeatOfKept(args.context)) throw error;
      const { code, reason } = listenerFailure(error);
      const hasAnswer = await answer(args, error, failureSentence(code));
      if (!hasAnswer || !(error instanceof StoreUnavailable)) throw error;
      logger.warn({ what: deliveryKind(args.body), reason }, 'Not saved; the person was notified');
    }
  });
}

/** @returns whether the person sees the sentence */
async function answer(args: AnyMiddlewareArgs, error: unknown, sentence: string): Promise<boolean> {
  // Each kind of delivery takes a different type of response.
  const send =
    'ack' in args ? (args.ack as ((response?: unknown) => Promise<void>) | undefined) : undefined;
  const kind = readAddress(args.body)?.kind;
  if (!send || kind === 'event' || kind === 'function') return false;
  const [response, hasAnswer] = responseTo(args, { kind, error, sentence });
  // Slack may have given up by now. The first error is the one that counts.
  await Promise.allSettled([send(response)]);
  return hasAnswer;
}

type Failure = { kind: string | undefined; error: unknown; sentence: string };

function responseTo(
  args: AnyMiddlewareArgs,
  { kind, error, sentence }: Failure,
): [response: unknown, hasAnswer: boolean] {
  if (kind === 'options') return [{ options: [] }, true];
  if (kind === 'view') {
    const block = firstInput(args.body);
    return [
      block && { response_action: 'errors', errors: { [block]: sentence } },
      block !== undefined,
    ];
  }
  if ('command' in args && error instanceof StoreUnavailable) {
    const text = `⚠️ ${sentence}${typedAgain(args.command)}`;
    return [{ response_type: 'ephemeral', text }, true];
  }
  return [undefined, false];
}

/** Slack shows errors only at inputs. */
function firstInput(body: object): string | undefined {
  const view: unknown = 'view' in body ? body.view : undefined;
  const blocks = isRecord(view) && Array.isArray(view['blocks']) ? view['blocks'] : [];
  return blocks.find((each) => isRecord(each) && each['type'] === 'input')?.block_id;
}
