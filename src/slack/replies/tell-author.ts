import type { KnownBlock } from '@slack/types';
import { fingerprint } from 'base/fingerprint';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { PostPrivately } from '../posting/post-privately.ts';
import { messageKey, threadKey } from '../runs/run-ref.ts';
import { placeOf, type Reply } from './read-reply.ts';

/** @param once what is said to a person only once an hour in each thread */
export type TellAuthor = (
  reply: Reply,
  answer: { text: string; blocks?: KnownBlock[] },
  once?: string,
) => Promise<void>;

type TellParts = { postPrivately: PostPrivately; deliveries: Pick<Deliveries, 'markFirst'> };

export function createTellAuthor({ postPrivately, deliveries }: TellParts): TellAuthor {
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
