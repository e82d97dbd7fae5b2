import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { Mentions, TakenMention } from '../../store/mentions.ts';
import { type Mention, mentionSchema } from './read-mention.ts';

export type MentionInboxParts = {
  mentions: Mentions;
  /** May be called again for a mention whose first handling was interrupted. */
  handle(mention: Mention): Promise<void>;
  logger: Logger;
};

/** Long enough for reading a long thread; after that, whoever took a mention is taken for dead. */
const holdMs = 30_000;
const longestWaitMs = 5_000;
/** An outage passes in this time; what still fails then would fail for ever. */
const giveUpAfterMs = 30 * 60_000;

/** Carries every mention from the store to its answer, also those that a killed process left behind. */
export class MentionInbox {
  readonly #parts: MentionInboxParts;
  readonly #loop = new Loop(() => this.#handleNext());

  constructor(parts: MentionInboxParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  /** Resolves when the mention under work has been handled. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Resolves when the mention is stored: only then may Slack be told that it has arrived. */
  async keep(mention: Mention): Promise<void> {
    const isNew = await this.#parts.mentions.keep(mention.eventId, mention, Date.now());
    if (isNew) this.#loop.wake();
  }

  /** Answers how long to wait. A mention that could not be handled is due again when its hold ends. */
  async #handleNext(): Promise<number> {
    const { mentions, logger } = this.#parts;
    try {
      const taken = await mentions.take(Date.now(), Date.now() + holdMs);
      if (!taken) return longestWaitMs;
      const isOld = Date.now() - taken.receivedAt > giveUpAfterMs;
      await this.#handle(taken).catch((error: unknown) => {
        if (!isOld) throw error;
        logger.error({ err: error, eventId: taken.id }, 'a mention was given up');
      });
      await mentions.finish(taken.id, Date.now());
      return 0;
    } catch (error) {
      logger.error({ err: error }, 'a mention was not handled; trying again');
      return longestWaitMs;
    }
  }

  async #handle(taken: TakenMention): Promise<void> {
    const mention = mentionSchema.safeParse(taken.mention);
    if (mention.success) await this.#parts.handle(mention.data);
  }
}
