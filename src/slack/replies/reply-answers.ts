/** Sends answers that only the author of a reply sees, if the reaction doesn't say enough. */

import type { KnownBlock } from '@slack/types';
import { fingerprint } from 'base/fingerprint';
import { maskedNotice } from 'base/secrets/mask-secrets';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { PostPrivately } from '../posting/post-privately.ts';
import { messageKey, threadKey } from '../runs/run-ref.ts';
import { failureSentence } from '../text/failure.ts';
import { placeOf, type Reply } from './read-reply.ts';

/**
 * Reaction ✅, which means that the run has the reply. A reply that starts a run gets the same reaction as a mention.
 */
export const sentReaction = 'white_check_mark';

export const repliesPerMinute = 30;

export const tooManyReplies = `⚠️ Your reply wasn't sent, because the limit is ${repliesPerMinute} replies a minute per thread. Send it again in a minute.`;

export const filesNotSent = "⚠️ Your files weren't sent, because an active run only accepts text.";

export const notSent = (code: string, connectionId: string): string =>
  `⚠️ ${failureSentence(code, connectionId)} The run may not have received your reply. Reply again to resend it.`;

export const notHandled = "⚠️ Your reply couldn't be sent to the run. Reply again to resend it.";

export const sentMasked = (count: number): string => `Your reply was sent.${maskedNotice(count)}`;

/**
 * Answers the author of a reply.
 * @param once key of an answer that a person gets only once an hour in each thread
 */
export type TellAuthor = (
  reply: Reply,
  answer: { text: string; blocks?: KnownBlock[] },
  once?: string,
) => Promise<void>;

export function createAuthorNotifier(deps: {
  postPrivately: PostPrivately;
  deliveries: Pick<Deliveries, 'markFirst'>;
}): TellAuthor {
  const { postPrivately, deliveries } = deps;
  return async (reply, answer, once) => {
    const { teamId, userId } = reply;
    const place = placeOf(reply);
    const key = `told ${once} ${teamId} ${threadKey(place.channelId, place.threadTs)}${userId}`;
    if (once && !(await deliveries.markFirst(key))) return;
    const { text } = answer;
    await postPrivately(`${messageKey(place)} ${fingerprint({ text })}`, {
      ...place,
      userId,
      ...answer,
    });
  };
}
