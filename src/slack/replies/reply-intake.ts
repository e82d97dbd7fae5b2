import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import type { Inbox, Intake } from '../../inbox/inbox.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { acceptsPlainReplies } from '../configuration/preferences.ts';
import type { Afterwards } from '../connection/running-work.ts';
import { messageKey, messageKeys, threadKey } from '../runs/run-ref.ts';
import type { HandleReply } from './handle-reply.ts';
import { newMentionHint } from './mention-hint.ts';
import { placeOf, type Reply, readReplyEvent, replySchema } from './read-reply.ts';
import { notHandled, repliesPerMinute, type TellAuthor, tooManyReplies } from './reply-answers.ts';

type Deps = {
  teamId: string;
  botUserId(): string;
  inbox: Pick<Inbox, 'register'>;
  requests: Pick<Requests, 'findOfThread'>;
  settings: Pick<Settings, 'read'>;
  handleReply: HandleReply;
  tell: TellAuthor;
  outbox: Pick<Outbox, 'plan'>;
  afterwards: Afterwards;
  wake(): void;
};

/**
 * Creates the intake of messages in runs' threads. A message is a follow-up, an answer, or the next prompt. Plain
 * replies are accepted in direct messages, and in channels that allow them. See
 * docs/decisions/012-a-reply-in-a-runs-thread-is-for-the-run.md.
 * @returns a function that stores an event if it's a reply to a run; it returns true for such a reply
 */
export function createReplyIntake(deps: Deps): (body: unknown) => Promise<boolean> {
  const { teamId, botUserId, inbox, requests, settings, handleReply, tell } = deps;
  const { outbox, afterwards, wake } = deps;
  const isTooFast = createFloodLimit();
  const replies: Intake<Reply> = inbox.register('reply', {
    schema: replySchema,
    keys: messageKeys,
    handle: (reply) => handleReply(reply, replies),
    giveUp: (reply) => tell(reply, { text: notHandled }),
  });

  const keyOf = (reply: Reply) => messageKey(placeOf(reply));

  /**
   * Replaces a stored reply with its edit, unless the reply was already sent. Returns false if the reply was handled or
   * isn't stored yet.
   */
  async function edit(edited: Reply): Promise<boolean> {
    const stored = await replies.change(keyOf(edited), (reply) => {
      const isTooLate = reply.sentTo || (reply.changedTs ?? '') > (edited.changedTs ?? '');
      return isTooLate ? undefined : edited;
    });
    return stored !== undefined;
  }

  async function take(reply: Reply): Promise<void> {
    if (isTooFast(threadKey(reply.channelId, reply.threadTs)))
      afterwards(() => tell(reply, { text: tooManyReplies }, 'too many'));
    else await replies.add(keyOf(reply), reply);
  }

  /**
   * Returns `taken` for a reply to a run. Returns `ignored` if the reply would be for a run, but the channel doesn't
   * accept plain replies.
   */
  async function classify(reply: Reply): Promise<'taken' | 'ignored' | 'other'> {
    if (isMentionAlone(reply)) return 'other';
    if (!(await acceptsPlainReplies(settings, reply))) return 'ignored';
    const isOfRun = await requests.findOfThread(teamId, reply);
    return isOfRun || canBelongToRun(reply) ? 'taken' : 'other';
  }

  /** Tells the creator of the thread's run how to send a reply, once in each thread. */
  async function hint(reply: Reply): Promise<void> {
    if ((reply.message.text ?? '').includes(`<@${botUserId()}`)) return;
    const request = await requests.findOfThread(teamId, reply);
    if (request?.creatorId !== reply.userId) return;
    if ((await outbox.plan([newMentionHint(request, reply)])) > 0) wake();
  }

  /** Returns true for a mention without text, because the app answers it by asking for a prompt. */
  const isMentionAlone = ({ message: { text = '', files } }: Reply): boolean =>
    text?.trim() === `<@${botUserId()}>` && (files ?? []).length === 0;

  /**
   * Returns true if the thread may belong to a run message that isn't stored yet. Returns false for a reply that
   * mentions the app, because it's handled as a mention.
   */
  const canBelongToRun = ({ channelId, message }: Reply): boolean =>
    message.parent_user_id === botUserId() &&
    !channelId.startsWith('D') &&
    !(message.text ?? '').includes(`<@${botUserId()}`);

  return async (body) => {
    const event = readReplyEvent(body, botUserId());
    if (!event) return false;
    const reply: Reply = { ...event.reply, teamId };
    const found = event.wasForRun ? await classify(reply) : 'other';
    const isTaken = found === 'taken';
    if (event.kind === 'written') {
      if (isTaken) await take(reply);
      else if (found === 'ignored') afterwards(() => hint(reply));
      return isTaken;
    }
    const isKnown = await edit(reply);
    // Store an edit if its reply hasn't arrived. Slack repeats replies for minutes, and both may arrive at once.
    const isNew = !isKnown && isTaken && (await replies.add(keyOf(reply), reply));
    if (!isKnown && !isNew) await edit(reply);
    return isTaken;
  };
}

/**
 * Creates a function that returns true if a thread gets too many replies a minute. Each reply costs calls of the runs
 * API and Slack's API, and work of the agent.
 */
function createFloodLimit() {
  const recent = new LRUCache<string, { count: number }>({ ...entryLimit(1_000), ttl: 60_000 });
  return (thread: string): boolean => {
    const entry = recent.get(thread) ?? { count: 0 };
    if (entry.count === 0) recent.set(thread, entry);
    entry.count += 1;
    return entry.count > repliesPerMinute;
  };
}
