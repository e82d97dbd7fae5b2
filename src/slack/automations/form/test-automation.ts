/** Tests an automation before it's saved: what would start it, and with which prompt. Starts nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { parseJson } from 'base/parse-json';
import { nextTime } from 'base/schedule/cron';
import { dayAt } from 'base/time/local-time';
import type { Automation, Definition, Trigger } from '../../../automations/automation.ts';
import { matches } from '../../../automations/filter.ts';
import { renderTemplate, type TemplateValues } from '../../../automations/template.ts';
import type { Firings } from '../../../store/automations/firings.ts';
import type { ReadNames } from '../../people/people.ts';
import type { Asker } from '../../people/setting.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import type { ReadPermalink } from '../../posting/source-message.ts';
import type { ContextTexts } from '../../runs/reading/context-texts.ts';
import { authorOf } from '../../runs/reading/read-thread.ts';
import { actions, context, section } from '../../text/blocks.ts';
import { time } from '../../text/dates.ts';
import { code, escapeText, firstLine } from '../../text/escape-text.ts';
import { codeBlock } from '../../text/rich-text.ts';
import { isForTrigger, readFiringMessage } from '../read-trigger-event.ts';
import type { AutomationAnswers } from './read-automation.ts';
import { pausedSentence, startNowButton, type Tested } from './start-now.ts';

type Deps = {
  firings: Pick<Firings, 'deliveries'>;
  client: Pick<WebClient, 'conversations'>;
  texts: Pick<ContextTexts, 'read'>;
  readNames: ReadNames;
  readPermalink: ReadPermalink;
  botUserId(): string;
  botId(): string;
};

type MessageTrigger = Extract<Trigger, { kind: 'message' }>;

/** Something that the automation was tested with. */
type Candidate = { line: string; isMatch: boolean; values: TemplateValues; tested: Tested };

const listedDeliveries = 10;
const listedMessages = 20;
const listedTimes = 3;
const promptShown = 2_900;

export function createAutomationTest(deps: Deps) {
  const { firings, client, texts, readNames, readPermalink } = deps;

  async function ofDeliveries(
    { filter }: Extract<Trigger, { kind: 'webhook' }>,
    automation: Automation | undefined,
    date: string,
  ): Promise<Candidate[]> {
    if (!automation) return [];
    const deliveries = await firings.deliveries(automation.id, listedDeliveries);
    return deliveries.map(({ firing, body }) => {
      const payload = parseJson(body);
      const { fired } = firing.content;
      const event = fired.kind === 'webhook' && fired.event;
      return {
        line: `${time(firing.happenedAt)}${event ? ` ${code(event, 60)}` : ''}`,
        isMatch: matches(filter, payload),
        values: { payload, date },
        tested: { ofFiring: firing.id },
      };
    });
  }

  async function ofMessages(
    { userId }: Asker,
    trigger: MessageTrigger | undefined,
    channelId: string,
    date: string,
  ): Promise<Candidate[] | string> {
    try {
      const own = { botUserId: deps.botUserId(), botId: deps.botId() };
      const limit = listedMessages;
      const answer = await client.conversations.history({ channel: channelId, limit });
      const found = (answer.messages ?? []).flatMap(
        (each) => readFiringMessage({ event: asPosted(each, channelId) }, own) ?? [],
      );
      const messages = found.map(({ message }) => message);
      const names = await readNames(messages.flatMap(({ user }) => user ?? []));
      const textOf = await texts.read({ channelId, userId }, messages, names);
      return found.map(({ message, by }): Candidate => {
        const { ts } = message;
        const author = authorOf(message, names);
        const text = textOf.get(ts) ?? '';
        return {
          line: `${escapeText(author, 60)}: ${escapeText(firstLine(text), 100)}`,
          isMatch: trigger === undefined || isForTrigger(trigger, by, message),
          values: { message: { text, author, link: '' }, date },
          tested: { message: { channelId, ts } },
        };
      });
    } catch (error) {
      readSlackFailure(error);
      return "The app can't read this channel. Type `/invite @agent` there, and test again.";
    }
  }

  /** Adds the link of a message, which takes another call to Slack. */
  async function valuesOf({ values, tested }: Candidate): Promise<TemplateValues> {
    const { message } = values;
    const link = tested.message && message && (await readPermalink(tested.message));
    return link && message ? { ...values, message: { ...message, link } } : values;
  }

  async function candidatesOf(
    asker: Asker,
    { channelId, definition: { trigger } }: AutomationAnswers,
    automation: Automation | undefined,
    date: string,
  ): Promise<Candidate[] | string> {
    switch (trigger.kind) {
      case 'schedule':
        return [];
      case 'webhook':
        return ofDeliveries(trigger, automation, date);
      case 'message':
        return ofMessages(asker, trigger, channelId, date);
      case 'reaction':
        return ofMessages(asker, undefined, channelId, date);
    }
  }

  /**
   * Renders the result of a test.
   * @param automation the saved automation, if there is one
   */
  return async (
    asker: Asker,
    answers: AutomationAnswers,
    { automation, timeZone }: { automation: Automation | undefined; timeZone: string },
  ): Promise<KnownBlock[]> => {
    const { definition } = answers;
    const { trigger } = definition;
    const now = Date.now();
    const zone = trigger.kind === 'schedule' ? trigger.timeZone : timeZone;
    const date = dayAt(now, zone);
    const found = await candidatesOf(asker, answers, automation, date);
    if (typeof found === 'string') return [section(`⚠️ ${found}`)];
    const first = found.find(({ isMatch }) => isMatch);
    return [
      section(resultText(trigger, found, now)),
      ...renderPrompt(definition, first ? await valuesOf(first) : { date }, first !== undefined),
      renderStart(answers, automation, first?.tested),
    ];
  };
}

export type TestAutomation = ReturnType<typeof createAutomationTest>;

/** Returns a message of the history as it was when it was posted, before it was edited or got replies. */
function asPosted(message: object, channelId: string): object {
  const { ts, thread_ts: threadTs }: { ts?: string; thread_ts?: string } = message;
  const isFirst = threadTs === ts;
  return {
    ...message,
    type: 'message',
    channel: channelId,
    edited: undefined,
    ...(isFirst && { thread_ts: undefined }),
  };
}

function resultText(trigger: Trigger, found: readonly Candidate[], now: number): string {
  const lines = found.map(({ line, isMatch }) => `${isMatch ? '✅' : '➖'} ${line}`);
  const matching = found.filter(({ isMatch }) => isMatch).length;
  switch (trigger.kind) {
    case 'schedule':
      return `*Test:* it would run at these times:\n${nextTimes(trigger, now).join('\n')}`;
    case 'webhook':
      if (found.length === 0)
        return '*Test:* there are no deliveries yet. Save the automation, let the sender deliver one, and test again.';
      return `*Test:* ${matching} of the last ${found.length} deliveries would start a run.\n${lines.join('\n')}`;
    case 'message':
      if (found.length === 0) return '*Test:* there are no messages in this channel yet.';
      return `*Test:* ${matching} of the last ${found.length} messages would start a run.\n${lines.join('\n')}`;
    case 'reaction':
      return `*Test:* the reaction :${trigger.emoji}: to a message would start a run.${found[0] ? `\nFor example: ${found[0].line}` : ''}`;
  }
}

function nextTimes(trigger: Extract<Trigger, { kind: 'schedule' }>, now: number): string[] {
  const times: string[] = [];
  for (let at = nextTime(trigger, now); at !== null && times.length < listedTimes; ) {
    times.push(`• ${time(at)}`);
    at = nextTime(trigger, at);
  }
  return times;
}

function renderPrompt(
  { prompt }: Definition,
  values: TemplateValues,
  hasExample: boolean,
): KnownBlock[] {
  const { text, unknown } = renderTemplate(prompt, values);
  const needsExample = unknown.length > 0 && !hasExample;
  if (needsExample) return [context('The prompt is shown here once something matches.')];
  const missing = unknown.map((path) => code(`{{ ${path} }}`, 100)).join(', ');
  return [
    section('*Prompt*'),
    codeBlock(text, promptShown),
    ...(missing ? [context(`⚠️ No value for ${missing}. It's empty in the prompt.`)] : []),
  ];
}

/** Renders *Start now* if the test was with what is saved, because that's what is started. */
function renderStart(
  { channelId, definition }: AutomationAnswers,
  automation: Automation | undefined,
  tested: Tested | undefined,
): KnownBlock {
  const { trigger } = definition;
  const isSaved =
    automation &&
    isDeepStrictEqual(automation.definition, definition) &&
    automation.channelId === channelId;
  if (!isSaved) return context('Nothing was started. To start it now, save it first.');
  if (!tested && trigger.kind !== 'schedule') return context('Nothing was started.');
  if (automation.pause) return context(`⏸️ ${pausedSentence}`);
  return actions([startNowButton(automation.id, tested)]);
}
