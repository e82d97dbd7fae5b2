import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { Mentions, TakenMention } from '../../store/inbox/mentions.ts';
import { type Mention, mentionSchema } from './read-mention.ts';

export type MentionInboxParts = {
  mentions: Mentions;
  /** Called again for the same mention after an interruption. */
  handle(mention: Mention): Promise<void>;
  logger: Logger;
};

/** Long enough to read a long thread. After that, another replica handles the mention. */
const leaseMs = 30_000;
const longestWaitMs = 5_000;
/** Longer than an outage. What still fails then would always fail. */
const giveUpAfterMs = 30 * 60_000;

/** Handles stored mentions, including those that a killed process left behind. */
export class MentionInbox {
  readonly #parts: MentionInboxParts;
  readonly #loop = new Loop(() => this.#handleNext());

  constructor(parts: MentionInboxParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start();
  }

  /** Resolves when the current mention is handled. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Resolves when the mention is stored. Slack must not be acknowledged before. */
  async add(mention: Mention): Promise<void> {
    const isNew = await this.#parts.mentions.keep(mention.eventId, mention, Date.now());
    if (isNew) this.#loop.wake();
  }

  /** Returns how long to wait, in ms. A mention that fails is due again when its lease ends. */
  async #handleNext(): Promise<number> {
    const { mentions, logger } = this.#parts;
    try {
      const taken = await mentions.take(Date.now(), Date.now() + leaseMs);
      if (!taken) return longestWaitMs;
      const isOld = Date.now() - taken.receivedAt > giveUpAfterMs;
      await this.#handle(taken).catch((error: unknown) => {
        if (!isOld) throw error;
        logger.error({ err: error, eventId: taken.id }, 'giving up on a mention');
      });
      await mentions.finish(taken.id, Date.now());
      return 0;
    } catch (error) {
      logger.error({ err: error }, 'could not handle a mention; retrying');
      return longestWaitMs;
    }
  }

  async #handle(taken: TakenMention): Promise<void> {
    const mention = mentionSchema.safeParse(taken.mention);
    if (mention.success) await this.#parts.handle(mention.data);
  }
}
