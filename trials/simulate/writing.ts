import { runMessageOf } from './in-slack.ts';
import type { Done, PeopleDeps } from './people.ts';
import type { Act } from './plan.ts';
import type { Json, SlackMessage, Workspace } from './slack-world.ts';

/** What someone writes to a run. */
export type Written = {
  text: string;
  channel: string;
  userId: string;
  atMs: number;
  /** Whether the run must get it. In channels where replies count, a mention isn't needed. */
  counts: boolean;
};

/** The app has acknowledged that a message says something else, or nothing. `atMs` is epoch milliseconds. */
export type Edited = {
  before: string;
  after: string | undefined;
  atMs: number;
};

type ThreadActType = 'stop' | 'follow-up' | 'reply' | 'edit' | 'delete';
export type ThreadAct = Extract<Act, { type: ThreadActType }>;

type WritingDeps = Pick<PeopleDeps, 'scheduler' | 'slack' | 'deliveries'> & {
  done: Done;
  again(act: Act, tries: number): void;
};

/** A message with what Slack says of it in each event. */
type Sent = { message: SlackMessage; about: Json; words: string; isMention: boolean };

/** What people write in the threads of runs, and change. */
export function createWriting({ scheduler, slack, deliveries, done, again }: WritingDeps) {
  const sentTo = new Map<number, Sent>();
  /** What's changed next is the newest message about a run. */
  const note = (run: number, sent: Sent) => void sentTo.set(run, sent);

  /** In the thread of the run's message. */
  function write(act: ThreadAct, us: Workspace, tries: number): void {
    const runMessage = runMessageOf(slack, act.run);
    if (!runMessage) {
      again(act, tries);
      return;
    }
    const { channel } = runMessage;
    // A message about a mention is in the thread of the mention.
    const thread_ts = runMessage.threadTs ?? runMessage.ts;
    const [user] = us.people;
    const isMention = act.type === 'follow-up';
    const words = `and mind case ${deliveries.nextId('')}.`;
    const text = isMention ? `<@${us.bot.userId}> ${words}` : words;
    const message = slack.write({ channel, userId: user, text, threadTs: thread_ts });
    const { ts } = message;
    const parent_user_id = runMessage.threadTs ? user : us.bot.userId;
    const about = { user, text, ts, thread_ts, parent_user_id };
    note(act.run, { message, about, words, isMention });
    const counts = isMention || channel === us.channels[1] || channel.startsWith('D');
    const written = { text: words, channel, userId: user, atMs: scheduler.sinceStartMs, counts };
    let isNoted = false;
    const noteOnce = () => {
      if (!isNoted) done.followUps.push(written);
      isNoted = true;
    };
    const title = `${act.type} to run ${act.run}`;
    const event = { ...about, channel, event_ts: ts };
    // Slack sends both events for a mention, in any order.
    if (isMention) deliveries.event(us, title, { type: 'app_mention', ...event }, noteOnce);
    const asMessage = { type: 'message', channel_type: 'channel', ...event };
    deliveries.event(us, `${title} as a message`, asMessage, isMention ? undefined : noteOnce);
  }

  /** The newest message to the run, while it's there. */
  function change(act: ThreadAct, us: Workspace, tries: number): void {
    const sent = sentTo.get(act.run);
    if (!sent) {
      again(act, tries);
      return;
    }
    const { message, about, words, isMention } = sent;
    if (message.isDeleted) return;
    const { channel } = message;
    const ts = slack.nextTs();
    const event = { type: 'message', channel, channel_type: 'channel', hidden: true, ts };
    const before = { previous_message: { type: 'message', ...about }, event_ts: ts };
    const after = act.type === 'edit' ? `${words} Today` : undefined;
    const edited = { before: words, after };
    const noteEdit = () => void done.edits.push({ ...edited, atMs: scheduler.nowMs });
    const title = `${act.type} of the message to run ${act.run}`;
    if (after === undefined) {
      message.isDeleted = true;
      const deleted = { subtype: 'message_deleted', deleted_ts: message.ts };
      deliveries.event(us, title, { ...event, ...deleted, ...before }, noteEdit);
      return;
    }
    const text = String(about['text']).replace(words, after);
    message.text = text;
    const now = { ...about, text, edited: { user: about['user'], ts } };
    const changed = { subtype: 'message_changed', message: { type: 'message', ...now } };
    deliveries.event(us, title, { ...event, ...changed, ...before }, noteEdit);
    // Slack repeats this event for an edited mention.
    const mentioned = { type: 'app_mention', channel, event_ts: ts, ...now };
    if (isMention) deliveries.event(us, `${title} as a mention`, mentioned);
  }

  return { write, change, note };
}
