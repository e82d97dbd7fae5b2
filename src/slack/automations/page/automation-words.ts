/** Describes automations and what fired them in words. All texts are mrkdwn. */

import { mostCounted } from 'base/schedule/cron';
import { shorten } from 'base/shorten';
import type { Automation, Trigger, WebhookSender } from '../../../automations/automation.ts';
import { filterText } from '../../../automations/filter.ts';
import type { Firing } from '../../../automations/firing.ts';
import { scheduleWords } from '../../../automations/schedule-words.ts';
import { senderTexts } from '../../../automations/webhook/senders.ts';
import type { HistoryEntry } from '../../../store/automations/automation-list.ts';
import { requestLabel } from '../../runs/showing/run-label.ts';
import { time } from '../../text/dates.ts';
import { code, escapeText } from '../../text/escape-text.ts';

/**
 * Returns what starts an automation's runs, such as "every weekday at 9:00 (Europe/Berlin)". `botNames` has the names
 * of the allowed bots by ID.
 */
export function triggerText(trigger: Trigger, botNames: ReadonlyMap<string, string>): string {
  switch (trigger.kind) {
    case 'schedule':
      return `${scheduleText(trigger.cron)} (${escapeText(trigger.timeZone, 64)})`;
    case 'webhook':
      return webhookText(trigger.sender);
    case 'message':
      return messageText(trigger, botNames);
    case 'reaction':
      return `the reaction ${emojiText(trigger.emoji)}`;
  }
}

/** Returns a schedule in words. A cron expression that has no words is code, because its `*` would change the text. */
export function scheduleText(cron: string): string {
  const words = scheduleWords(cron);
  return words.startsWith('cron ') ? `on ${code(words, 200)}` : escapeText(words, 200);
}

function webhookText(sender: WebhookSender): string {
  if (sender === 'bearer') return 'a webhook with a bearer token';
  const { name } = senderTexts[sender];
  return sender === 'standard' ? `a webhook (${name})` : `a webhook from ${name}`;
}

function messageText(
  { text, people, bots, onlyBots }: Extract<Trigger, { kind: 'message' }>,
  botNames: ReadonlyMap<string, string>,
) {
  const what = text === '' ? 'a message' : `a message that contains ${code(text, 100)}`;
  const fromPeople = people.length > 0 ? list(people.map(mention)) : 'people';
  const nameOf = (id: string) => escapeText(botNames.get(id) ?? "a bot that isn't allowed", 100);
  const fromBots = bots.length === 0 ? 'bots' : list([...new Set(bots.map(nameOf))]);
  if (onlyBots) return `${what} by ${fromBots}`;
  if (bots.length > 0) return `${what} by ${fromPeople} or ${fromBots}`;
  return people.length > 0 ? `${what} by ${fromPeople}` : what;
}

const mentionsShown = 5;
const mention = (userId: string) => `<@${escapeText(userId, 30)}>`;
const list = (names: readonly string[]) =>
  names.length > mentionsShown
    ? `${names.slice(0, mentionsShown).join(', ')} and ${names.length - mentionsShown} others`
    : names.join(', ');

/** Shows an emoji as such only if its name is one, because names come from people. */
const emojiText = (name: string) => (/^[a-z0-9_+'-]+$/.test(name) ? `:${name}:` : code(name, 100));

/** Returns the filter of a webhook. Undefined if every delivery passes. */
export function filterWords({ definition: { trigger } }: Automation): string | undefined {
  if (trigger.kind !== 'webhook' || trigger.filter.length === 0) return undefined;
  const lines = shorten(filterText(trigger.filter), 500).split('\n');
  return lines.map((line) => code(line, 500)).join(' ');
}

const placeTexts = {
  message: 'in a new message each time',
  thread: 'in the thread of one message',
} as const;

/** Returns where an automation shows its runs. */
export function placeText({ channelId, definition: { trigger, show } }: Automation): string {
  const isReply = trigger.kind === 'message' || trigger.kind === 'reaction';
  return `in <#${channelId}>, ${isReply ? 'in the thread of the message' : placeTexts[show]}`;
}

/** Returns what fired an automation. `botNames` has the names of the allowed bots by ID. */
export function firedText(
  { content: { fired } }: Pick<Firing, 'content'>,
  botNames: ReadonlyMap<string, string>,
): string {
  const who = (id: string) => {
    const bot = botNames.get(id);
    return /^[UW]/.test(id) ? mention(id) : escapeText(bot ?? 'a bot', 100);
  };
  switch (fired.kind) {
    case 'schedule':
      return fired.count === undefined || fired.count === 1
        ? 'schedule'
        : `schedule, ${fired.count < mostCounted ? '' : 'at least '}${fired.count} times until ${time(fired.lastAt ?? 0)}`;
    case 'webhook':
      return `delivery ${code(fired.deliveryId, 60)}${fired.event ? ` (${escapeText(fired.event, 60)})` : ''}`;
    case 'message':
      return `message by ${who(fired.by)}`;
    case 'reaction':
      return `reaction by ${who(fired.by)}`;
    case 'test':
      return `*Start now* by ${who(fired.by)}`;
  }
}

/** Returns what became of a firing: the state of its run, or the reason why there is none. */
export function outcomeText({ firing, request }: HistoryEntry): string {
  const why = firing.reason ? `: ${firing.reason}` : '';
  switch (firing.state) {
    case 'waiting':
      return `⏳ waiting${why}`;
    case 'started': {
      if (!request) return '▶️ started';
      const { sign, word } = requestLabel(request);
      return `${sign} ${escapeText(word, 50)}`;
    }
    case 'unmatched':
      return `didn't match${why}`;
    case 'skipped':
      return `⏭️ skipped${why}`;
    case 'missed':
      return `⚠️ missed${why}`;
    case 'failed':
      return `⚠️ not started${why}`;
  }
}
