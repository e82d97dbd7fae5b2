import type { AnyMiddlewareArgs, App } from '@slack/bolt';
import type { Logger } from '../../lib/logger.ts';
import { StoreAway } from '../../store/store-away.ts';
import { failureSentence } from '../text/failure.ts';
import { isRecord, readAddress } from './delivery-address.ts';
import { whatWas } from './describe-delivery.ts';
import { typedAgain } from './error-handler.ts';
import { listenerTrouble } from './listener-trouble.ts';

/**
 * Acknowledges what failed before its listener did. A form stays open with everything that was typed and says what
 * happened; a command that couldn't be saved is answered in words. Of everything else `app.error` tells the person. Events
 * and workflow steps stay unacknowledged: Slack delivers them again. Registered before everything that reads the store.
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
      if (acknowledged.has(args.body)) throw error;
      const { code, reason } = listenerTrouble(error);
      const isTold = await answer(args, error, failureSentence(code));
      if (!isTold || !(error instanceof StoreAway)) throw error;
      logger.warn({ what: whatWas(args.body), reason }, 'Not saved; the person was told');
    }
  });
}

/** Answers whether the person reads the sentence now. */
async function answer(args: AnyMiddlewareArgs, error: unknown, sentence: string): Promise<boolean> {
  // Each kind of delivery has a type of its own for what it takes.
  const send =
    'ack' in args ? (args.ack as ((response?: unknown) => Promise<void>) | undefined) : undefined;
  const kind = readAddress(args.body)?.kind;
  if (!send || kind === 'event' || kind === 'function') return false;
  const [response, isTold] = responseTo(args, { kind, error, sentence });
  // Slack may have given up by now: what counts is the first error.
  await Promise.allSettled([send(response)]);
  return isTold;
}

type Failure = { kind: string | undefined; error: unknown; sentence: string };

function responseTo(
  args: AnyMiddlewareArgs,
  { kind, error, sentence }: Failure,
): [response: unknown, isTold: boolean] {
  if (kind === 'options') return [{ options: [] }, true];
  if (kind === 'view') {
    const block = firstInput(args.body);
    return [
      block && { response_action: 'errors', errors: { [block]: sentence } },
      block !== undefined,
    ];
  }
  if ('command' in args && error instanceof StoreAway) {
    const text = `⚠️ ${sentence}${typedAgain(args.command)}`;
    return [{ response_type: 'ephemeral', text }, true];
  }
  return [undefined, false];
}

/** Slack shows a sentence at an input only. */
function firstInput(body: object): string | undefined {
  const view: unknown = 'view' in body ? body.view : undefined;
  const blocks = isRecord(view) && Array.isArray(view['blocks']) ? view['blocks'] : [];
  return blocks.find((each) => isRecord(each) && each['type'] === 'input')?.block_id;
}
