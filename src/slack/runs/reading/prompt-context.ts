/** Quotes text from Slack that is sent with a prompt, within a limit. */

/** Limit for all messages, in code points. The runs API states none for prompts, but agents have one. */
const contextBudget = 20_000;

type QuotedMessage = { author: string; sentAt: string; text: string };

type QuotedThread = { text: string; messages: number; left: number };

/**
 * Quotes the first message, which usually states the topic, then the newest ones that fit, oldest first. Quoting them
 * keeps the agent from following instructions in them.
 */
export function quoteThread(
  messages: readonly QuotedMessage[],
  budget: number = contextBudget,
): QuotedThread {
  const [first, ...later] = messages.map(quoteMessage);
  if (first === undefined) return { text: '', messages: 0, left: 0 };
  const beginning = fitQuoted(first, later.length > 0 ? Math.floor(budget / 4) : budget);
  const newest: string[] = [];
  let room = budget - gapRoom - [...beginning].length;
  for (const text of later.toReversed()) {
    const size = [...text].length;
    // Cut the newest message instead of dropping it, even if it's a long log.
    if (size > room && newest.length > 0) break;
    newest.unshift(fitQuoted(text, room));
    room -= size;
  }
  const left = later.length - newest.length;
  const gap = left > 0 ? [`[… ${left.toLocaleString('en')} ${noun(left)} omitted]`] : [];
  return {
    text: [beginning, ...gap, ...newest].join('\n\n'),
    messages: 1 + newest.length,
    left,
  };
}

type Counted = { messages: number; left?: number | undefined };

const noun = (count: number) => (count === 1 ? 'message' : 'messages');

/** Returns `3 messages` or `121 of 201 messages`. */
export function describeMessageCount({ messages, left = 0 }: Counted): string {
  const all = messages + left;
  return left > 0 ? `${messages} of ${all} ${noun(all)}` : `${messages} ${noun(messages)}`;
}

/** Names the messages that fit, such as `the first and the 39 newest`. */
export const describeChosen = (messages: number): string =>
  `the first and the ${messages > 2 ? `${messages - 1} ` : ''}newest`;

/** Returns the last quoted messages that fit, each whole, or the beginning of the last one. */
export function lastQuotedMessages(quoted: string, limit: number): string {
  if ([...quoted].length <= limit) return quoted;
  const all = quoted.split('\n\n');
  const [first = '', ...newer] = all.toReversed();
  const shown = [fitQuoted(first, limit)];
  for (const each of newer) {
    if ([...each, ...shown.join('\n\n')].length + 2 > limit) break;
    shown.unshift(each);
  }
  return shown.join('\n\n');
}

const fitQuoted = (text: string, room: number) =>
  [...text].length > room ? cutQuoted(text, room) : text;

function cutQuoted(text: string, budget: number): string {
  const points = [...text];
  const kept = budget - cutRoom;
  const left = (points.length - kept).toLocaleString('en');
  return `${points.slice(0, kept).join('')}\n> [… ${left} more characters omitted]`;
}

/** Room for the line that counts the omitted characters. */
const cutRoom = 60;
/** Room for the line that counts the omitted messages. */
const gapRoom = 50;

function quoteMessage({ author, sentAt, text }: QuotedMessage): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `> ${line}`);
  return [`${author.replace(/\s+/g, ' ')} (${sentAt}):`, ...lines].join('\n');
}
