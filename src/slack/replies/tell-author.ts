import type { KnownBlock } from '@slack/types';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { SendPrivately } from '../posting/send-privately.ts';
import { threadKey } from '../runs/message-key.ts';
import type { Reply } from './read-reply.ts';

/** @param once what is said to a person only once an hour in each thread */
export type TellAuthor = (
  to: Pick<Reply, 'teamId' | 'channelId' | 'threadTs' | 'userId'>,
  answer: { text: string; blocks?: KnownBlock[] },
  once?: string,
) => Promise<void>;

type TellParts = { sendPrivately: SendPrivately; deliveries: Deliveries };

export function createTellAuthor({ sendPrivately, deliveries }: TellParts): TellAuthor {
  return async ({ teamId, channelId: channel, threadTs, userId: user }, answer, once) => {
    const key = `told ${once} ${teamId} ${threadKey(channel, threadTs)}${user}`;
    if (once && !(await deliveries.markFirst(key))) return;
    await sendPrivately({ user, channel, threadTs, ...answer }, { what: 'reply' });
  };
}
