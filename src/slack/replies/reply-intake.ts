import { atMost } from 'base/at-most';
import { LRUCache } from 'lru-cache';
import type { Inbox, Intake } from '../../inbox/inbox.ts';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { Settings } from '../../store/people/settings.ts';
import { takesReplies } from '../configuration/preferences.ts';
import type { Afterwards } from '../connection/running-work.ts';
import type { PostPrivately } from '../posting/post-privately.ts';
import { messageKey, messageKeys, threadKey } from '../runs/run-ref.ts';
import { type HandleReplyParts, handleReply } from './handle-reply.ts';
import { placeOf, type Reply, readReplyEvent, replySchema } from './read-reply.ts';
import { notHandled, repliesPerMinute, tooManyReplies } from './reply-answers.ts';
import { createTellAuthor } from './tell-author.ts';

type ReplyParts = Omit<HandleReplyParts, 'tell'> & {
  inbox: Pick<Inbox, 'register'>;
  settings: Pick<Settings, 'read'>;
  deliveries: Deliveries;
  postPrivately: PostPrivately;
  afterwards: Afterwards;
  teamId: string;
};

/**
 * Replies in threads of runs are messages to those runs: in direct messages, and in channels where that's set. See
 * docs/decisions/012-a-reply-in-a-runs-thread-is-for-the-run.md.
 * @returns what takes an event: whether it's a reply to a run, which is then stored
 */
export function createReplyIntake(parts: ReplyParts): (body: unknown) => Promise<boolean> {
  const { requests, settings, afterwards, teamId } = parts;
  const tell = createTellAuthor(parts);
  const isTooFast = createFloodLimit();
  const replies: Intake<Reply> = parts.inbox.register('reply', {
    schema: replySchema,
    keys: messageKeys,
    handle: (reply) => handleReply({ ...parts, tell, reply, replies }),
    giveUp: (reply) => tell(reply, { text: notHandled }),
  });

  const keyOf = (reply: Reply) => messageKey(placeOf(reply));

  /** Replaces what wasn't sent yet. @returns whether there is something */
  async function edit(edited: Reply): Promise<boolean> {
    const known = await replies.change(keyOf(edited), (reply) => {
      const isTooLate = reply.sentTo || (reply.changedTs ?? '') > (edited.changedTs ?? '');
      return isTooLate ? undefined : edited;
    });
    return known !== undefined;
  }

  async function take(reply: Reply): Promise<void> {
    if (isTooFast(threadKey(reply.channelId, reply.threadTs)))
      afterwards(() => tell(reply, { text: tooManyReplies }, 'too many'));
    else await replies.add(keyOf(reply), reply);
  }

  const isInRunThread = async (reply: Reply): Promise<boolean> =>
    !isMentionAlone(reply) &&
    (await takesReplies(settings, reply)) &&
    ((await requests.findOfThread(teamId, reply)) !== undefined || mayBeOfRun(reply));

  /** Without words, the app asks what to do. */
  const isMentionAlone = ({ message: { text = '', files } }: Reply): boolean =>
    text?.trim() === `<@${parts.botUserId()}>` && (files ?? []).length === 0;

  /** Whether the thread may be of a run message that the store doesn't know, for what nobody else takes. */
  const mayBeOfRun = ({ channelId, message }: Reply): boolean =>
    message.parent_user_id === parts.botUserId() &&
    !channelId.startsWith('D') &&
    !(message.text ?? '').includes(`<@${parts.botUserId()}`);

  return async (body) => {
    const event = readReplyEvent(body, parts.botUserId());
    if (!event) return false;
    const reply: Reply = { ...event.reply, teamId };
    const isTaken = event.wasForRun && (await isInRunThread(reply));
    if (event.kind === 'written') {
      if (isTaken) await take(reply);
      return isTaken;
    }
    const isKnown = await edit(reply);
    // An edit may arrive before what it replaces, which Slack repeats for minutes, or at the same time.
    const isNew = !isKnown && isTaken && (await replies.add(keyOf(reply), reply));
    if (!isKnown && !isNew) await edit(reply);
    return isTaken;
  };
}

/** Each reply costs a call of the runs API, one of Slack's, and what the agent does with it. */
function createFloodLimit() {
  const recent = new LRUCache<string, { count: number }>({ ...atMost(1_000), ttl: 60_000 });
  return (thread: string): boolean => {
    const known = recent.get(thread) ?? { count: 0 };
    if (known.count === 0) recent.set(thread, known);
    known.count += 1;
    return known.count > repliesPerMinute;
  };
}
