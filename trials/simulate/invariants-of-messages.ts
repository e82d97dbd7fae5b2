import type { Invariant, Outcome } from './invariant.ts';
import type { Plan } from './plan.ts';
import type { SlackMessage } from './slack-world.ts';

const endedLabels: Readonly<Record<string, string>> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  CANCELLED: 'Canceled',
};
const labelOf = (text: string): string => text.split(':')[0] ?? '';

/** Returns the longest time of a search, in ms. A search doesn't find later posts, and its response may be slow. */
const longestSearchMs = ({ faults }: Plan): number =>
  faults.reduce((sum, each) => {
    if (each.type !== 'call' || !/conversations|any/.test(each.target)) return sum;
    return each.fault.kind === 'slow answer' ? sum + each.fault.ms : sum;
  }, 1_000);

/** Ranks of shown states. A later state has a higher rank, and nothing comes after an end. */
const ranks: Readonly<Record<string, number>> = {
  Starting: 0,
  Queued: 1,
  'In progress': 2,
  'Needs input': 2,
  Succeeded: 3,
  Failed: 3,
  Canceled: 3,
  'Not started': 3,
};

const rankOf = (text: string): number => ranks[labelOf(text)] ?? 0;

const expectedLabel = ({ step, problem, runs: [run] }: Outcome): string | undefined => {
  if (step === 'not_started') return 'Not started';
  if (problem === 'canceled_before_start') return 'Canceled';
  return run && endedLabels[run.state];
};

/** Promises about texts that people see. */
export const brokenByMessages: Readonly<Record<string, Invariant>> = {
  *'an accepted request has one message'(_, outcomes) {
    for (const { id, messages } of outcomes)
      if (messages.length !== 1) yield `${id} has ${messages.length} messages`;
  },

  *"a post that is there isn't repeated"({ plan, slack }) {
    const searchMs = longestSearchMs(plan);
    const marked = slack.messages.filter(({ metadata }) => metadata !== undefined);
    const byMark = byLine(marked, ({ metadata, channel }) => JSON.stringify([metadata, channel]));
    for (const [mark, posts] of byMark)
      for (const { ts, versions, deletedMs = Number.POSITIVE_INFINITY } of posts) {
        const thereMs = (versions[0]?.atMs ?? 0) + searchMs;
        const isAgain = ({ sentMs = 0 }: SlackMessage) => sentMs > thereMs && sentMs < deletedMs;
        if (posts.some((each) => each.ts !== ts && isAgain(each))) yield `${mark} is posted again`;
      }
  },

  *'the message shows the true end'(_, outcomes) {
    for (const outcome of outcomes) {
      const [message] = outcome.messages;
      const expected = expectedLabel(outcome);
      if (message && labelOf(message.text) !== expected)
        yield `${outcome.id} shows ${labelOf(message.text)}, not ${expected}`;
    }
  },

  *'a shown state never goes back'({ plan }, outcomes) {
    // Accept an older state for a while, because a late update overwrites a newer one until the bot repeats it.
    const mightArriveLate = plan.faults.some(
      (each) => each.type === 'freeze' || (each.type === 'call' && 'ms' in each.fault),
    );
    if (mightArriveLate) return;
    for (const { id, messages } of outcomes)
      for (const { versions } of messages)
        if (goesBack(versions)) yield `${id}: ${versions.map((each) => labelOf(each.text))}`;
  },

  *'an end is told once, after the message shows it'(_, outcomes) {
    for (const { id, messages, ends } of outcomes) {
      if (ends.length !== 1) yield `${id} is told ${ends.length} times`;
      const shownAt = messages[0] && endShownAt(messages[0]);
      const toldAt = ends[0]?.versions[0]?.atMs ?? 0;
      if (shownAt !== undefined && toldAt < shownAt) yield `${id} is told before it's shown`;
    }
  },

  *'a thread without work has no working status'({ slack }) {
    const last = new Map(slack.statuses.map(({ thread, status }) => [thread, status]));
    for (const [thread, status] of last)
      if (status === 'processing' || status === 'suspended') yield `${thread} is ${status}`;
  },

  *'writes stay within their budget'({ slack }) {
    const limits = { 'chat.postMessage': [3, 1_000], 'chat.update': [25, 1_200] } as const;
    for (const [method, [burst, eachMs]] of Object.entries(limits)) {
      const sent = slack.sent.filter(
        (each) => each.method === method && each.channel.startsWith('C'),
      );
      const isPost = method === 'chat.postMessage';
      const lines = byLine(sent, ({ line, channel }) => `${line} ${isPost ? channel : ''}`);
      for (const calls of lines.values())
        for (const [from, first] of calls.entries())
          for (const [to, last] of calls.entries()) {
            const within = last.atMs - first.atMs;
            const count = to - from + 1;
            if (to >= from && count > burst + 1 + within / eachMs)
              yield `${last.line}: ${count} times ${method} in ${within} ms`;
          }
    }
  },
};

const goesBack = (versions: SlackMessage['versions']) =>
  versions.some(({ text }, at) => at > 0 && rankOf(text) < rankOf(versions[at - 1]?.text ?? ''));

const endShownAt = ({ versions }: SlackMessage) =>
  versions.find(({ text }) => rankOf(text) === 3)?.atMs;

function byLine<T>(all: readonly T[], lineOf: (one: T) => string): Map<string, T[]> {
  const lines = new Map<string, T[]>();
  for (const each of all) lines.set(lineOf(each), [...(lines.get(lineOf(each)) ?? []), each]);
  return lines;
}
