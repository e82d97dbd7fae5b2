import { runMessageOf } from './in-slack.ts';
import type { Done, PeopleDeps } from './people.ts';
import type { Act } from './plan.ts';
import type { Json, SlackMessage, Workspace } from './slack-world.ts';

/** A message of a person to a run. */
export type Written = {
  text: string;
  channel: string;
  userId: string;
  atMs: number;
  /** True if the run must get it. Where plain replies go to the run, a mention isn't needed. */
  counts: boolean;
};

/** An acknowledged edit or deletion of a message. `atMs` is in epoch ms. */
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

/** A message with the content of its events. */
type Sent = { message: SlackMessage; about: Json; words: string; isMention: boolean };

/** Writes in the threads of runs, for people, and changes their messages. */
export function createWriting({ scheduler, slack, deliveries, done, again }: WritingDeps) {
  const sentTo = new Map<number, Sent>();
  /** Notes the newest message about a run, because the next change is for it. */
  const note = (run: number, sent: Sent) => void sentTo.set(run, sent);

  /** Writes in the thread of the run's message. */
  function write(act: ThreadAct, us: Workspace, tries: number): void {
    const runMessage = runMessageOf(slack, act.run);
    if (!runMessage) {
      again(act, tries);
      return;
    }
    const { channel } = runMessage;
    // Use the mention's thread, because that's where a message about a mention is.
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
    // Send both events for a mention, in any order, as Slack does.
    if (isMention) deliveries.event(us, title, { type: 'app_mention', ...event }, noteOnce);
    const asMessage = { type: 'message', channel_type: 'channel', ...event };
    deliveries.event(us, `${title} as a message`, asMessage, isMention ? undefined : noteOnce);
  }

  /** Changes the newest message to the run, if it still exists. */
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
    // Repeat this event for an edited mention, as Slack does.
    const mentioned = { type: 'app_mention', channel, event_ts: ts, ...now };
    if (isMention) deliveries.event(us, `${title} as a mention`, mentioned);
  }

  return { write, change, note };
}
