import type { AnyMiddlewareArgs, App } from '@slack/bolt';
import type { Logger } from '../lib/logger.ts';
import { StoreAway } from '../store/store-away.ts';
import { typedAgain } from './error-handler.ts';
import { failureSentence } from './failure.ts';
import { listenerTrouble } from './listener-trouble.ts';
import { whatWas } from './what-was.ts';

/**
 * Acknowledges what could not be saved, with what is known about it, where Slack shows that to the person at once. What
 * was acknowledged before, and what has no such place, is left to the error handler. Events stay unacknowledged: Slack
 * delivers them again. Registered before everything that reads or writes the store.
 */
export function answerWhileStoreIsAway(app: App, logger: Logger): void {
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
      const isOpen = error instanceof StoreAway && !acknowledged.has(args.body);
      if (!isOpen || !(await answer(args, failureSentence(listenerTrouble(error).code)))) {
        throw error;
      }
      logger.warn(
        { what: whatWas(args.body), reason: error.message },
        'not saved; the person knows',
      );
    }
  });
}

/** Answers whether the person has been told. */
async function answer(args: AnyMiddlewareArgs, sentence: string): Promise<boolean> {
  if ('event' in args || !args.ack) return false;
  // Its type is that of all kinds at once.
  const ack = args.ack as (response?: unknown) => Promise<void>;
  if ('command' in args) {
    const text = `⚠️ ${sentence}${typedAgain(args.command)}`;
    await ack({ response_type: 'ephemeral', text });
    return true;
  }
  const { body } = args;
  if (body.type === 'view_submission') {
    const field = body.view.blocks.find(({ type }) => type === 'input')?.block_id;
    // The modal stays open with everything that was typed.
    await ack(field && { response_action: 'errors', errors: { [field]: sentence } });
    return field !== undefined;
  }
  if (body.type === 'block_suggestion') {
    await ack({ options: [] });
    return true;
  }
  await ack();
  return false;
}
