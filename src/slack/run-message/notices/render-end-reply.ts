import type { KnownBlock } from '@slack/types';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { pullRequestsOf } from '../../../requests/pull-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { showAnswerButton } from '../../runs/showing/buttons/run-buttons.ts';
import { pullRequestName, shortPullRequestName } from '../../runs/showing/pull-request-name.ts';
import { boldTitle, plainTitle, requestLabel } from '../../runs/showing/run-label.ts';
import {
  answerOf,
  changesLine,
  changesOf,
  failureMeaning,
  statusOf,
} from '../../runs/showing/run-outcome.ts';
import { agentMarkdown, type MarkdownRoom } from '../../text/agent-markdown.ts';
import { actions, section } from '../../text/blocks.ts';
import { escapeText, firstLine, limits, link, shorten } from '../../text/escape-text.ts';
import { capSentence, failureSentence } from '../../text/failure.ts';
import { plainLine } from '../../text/plain-line.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { mainButtons } from '../message-buttons.ts';
import { answerBeginning, answerRoom } from '../render-run-message.ts';
import { endingOf, hasFailed, renderTrouble } from '../run-notes.ts';

const namesShown = 50;
const reasonLimit = 300;
/**
 * Max size of the answer in a reply. Slack rejects more than 50 blocks, or 11,340 characters counted in an undocumented
 * way.
 */
const replyRoom = { characters: 8_500, blocks: 40 };
const messageRoom = 11_000;
const beginningRoom = { characters: 3_000, blocks: 20 };
const textRoom = 2_500;
const pullRequestsShown = 3;

type Details = {
  /** Names to show without a mention, because the person who canceled the run isn't notified. */
  names?: KnownNames;
  answer?: string | undefined;
  /** True if `answer` is only the beginning of the whole answer. */
  isCut?: boolean;
  /**
   * True if the reply isn't next to the run message. It's then in direct messages, or in the channel of a thread's run.
   */
  isElsewhere?: boolean;
  /** True if readers may not know which run the reply is about. */
  hasTitle?: boolean;
};

/**
 * Renders the reply when a run ends. The reply is a new message, because Slack doesn't notify people of edits. Next to
 * a run message with the whole answer, the reply has one line. Otherwise it has the answer, or its beginning with the
 * rest in a file. Returns smaller versions too, because Slack may reject the first one.
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  {
    names = new Map(),
    answer = answerOf(request.run),
    isCut = false,
    isElsewhere = false,
    hasTitle = isElsewhere,
  }: Details = {},
): NoticeVersion[] {
  const nameOf = (id: string) => escapeText(names.get(id) ?? 'someone in Slack', 100);
  const isShown = answer === undefined || (!isCut && fitsRunMessage(answer));
  const isLine = isShown && !isElsewhere;
  const line = [
    renderOutcome(request, userIds, { nameOf, hasTitle }),
    ...renderLinks(request),
    ...renderChanges(request),
    ...(isLine ? renderReason(request) : []),
    ...(isElsewhere ? [link(request.run?.session_link, 'Open session')] : []),
  ]
    .filter(Boolean)
    .join('  ·  ');
  const text = renderNotification(request, answer, nameOf);
  if (isLine) return withShort({ text, blocks: [section(line)] }, line);
  return answer === undefined
    ? withoutAnswer(request, { text, line })
    : withAnswer(request, answer, { text, line, isCut });
}

const fitsRunMessage = (answer: string) => agentMarkdown(answer, answerRoom, '…').isWhole;

/** Renders the outcome, such as `@ada ✅ Succeeded in 2m 14s`, with the title if needed. */
function renderOutcome(
  request: RunRequest,
  userIds: readonly string[],
  { nameOf, hasTitle }: { nameOf: (id: string) => string; hasTitle: boolean },
): string {
  const { sign, word } = requestLabel(request);
  const mentions = userIds.slice(0, namesShown).map((id) => `<@${id}>`);
  const others = userIds.length - mentions.length;
  const outcome = escapeText(word, 100) + endingOf(request, nameOf);
  return [
    ...mentions,
    ...(others > 0 ? [`and ${others} more`] : []),
    `${sign} ${outcome}${hasTitle ? `: ${boldTitle(request.title)}` : ''}`,
  ].join(' ');
}

const answerShown = 150;

/** Returns the outcome as plain text, because notifications show no markup. */
function renderNotification(
  request: RunRequest,
  answer: string | undefined,
  nameOf: (id: string) => string,
): string {
  const { sign, word } = requestLabel(request);
  const who = word === 'Canceled' ? endingOf(request, nameOf) : '';
  const [pullRequest] = pullRequestsOf(request.run);
  const facts = [
    `${sign} ${escapeText(word, 100)}${who}: ${plainTitle(request.title)}`,
    ...(pullRequest ? [escapeText(shortPullRequestName(pullRequest), 100)] : []),
    ...(answer
      ? [escapeText(plainLine(answer), answerShown)]
      : renderReason(request).map(withoutBold)),
  ];
  return shorten(facts.filter(Boolean).join(' · '), limits.messageText);
}

/** Removes the bold markup of the app's own sentences, such as `select *Resume updates*`. */
const withoutBold = (text: string) => text.replace(/(?<!\S)\*(\w[^*]*)\*(?=[\s.,]|$)/g, '$1');

type Rendered = { text: string; line: string };

function withAnswer(
  request: RunRequest,
  answer: string,
  { text, line, isCut }: Rendered & { isCut: boolean },
): NoticeVersion[] {
  const characters = Math.min(replyRoom.characters, messageRoom - line.length);
  const write = (room: MarkdownRoom): NoticeVersion => {
    const { block, isWhole } = agentMarkdown(answer, room, '…');
    const isPart = isCut || !isWhole;
    const more = isPart ? [section(answerBeginning, showAnswerButton(request.id))] : [];
    return { message: { text, blocks: [section(line), block, ...more] }, withFile: isPart };
  };
  const whole = write({ ...replyRoom, characters });
  const beginning = write(beginningRoom);
  return [
    ...(whole.withFile ? [] : [whole]),
    ...(beginning.withFile ? [beginning] : []),
    { message: { text: joined([line, escapeText(answer, textRoom)]) }, withFile: true },
  ];
}

/**
 * Renders the reply for a run without an answer. Shows the reason for a failure, its last messages, and buttons that
 * may help.
 */
function withoutAnswer(request: RunRequest, { text, line }: Rendered): NoticeVersion[] {
  const trouble = renderTrouble(request);
  const short = joined([line, ...renderReason(request)]);
  if (trouble.length === 0) return withShort({ text, blocks: [section(line)] }, line);
  const buttons = actions(mainButtons(request).slice(0, 3));
  const blocks = [section(line), ...trouble, buttons];
  return [{ message: { text, blocks } }, ...withShort({ text: short })];
}

const joined = (lines: readonly string[]) => shorten(lines.join('\n'), limits.messageText);

function renderChanges({ run }: RunRequest): string[] {
  const changes = changesOf(run);
  return changes ? [changesLine(changes)] : [];
}

/** Returns the reason in a few words, for a run without a result. */
function renderReason(request: RunRequest): string[] {
  const { problem, run, connectionId } = request;
  if (problem?.code === canceledBeforeStart) return [];
  const cap = problem && capSentence(problem);
  if (cap) return [escapeText(cap, reasonLimit)];
  if (problem) return [failureSentence(problem.code, connectionId)];
  if (!hasFailed(request)) return [];
  const reason = plainLine(statusOf(run)) || failureMeaning(run?.status_message?.error_code);
  return reason ? [escapeText(reason, reasonLimit)] : [];
}

const renderLinks = ({ run }: RunRequest): string[] =>
  pullRequestsOf(run)
    .slice(0, pullRequestsShown)
    .map((each) => link(each.url, pullRequestName(each)));

type NoticeMessage = { text: string; blocks?: KnownBlock[] };

/** One version of a notice. `withFile` is true if it has only the beginning of the answer, so a file has the rest. */
export type NoticeVersion = { message: NoticeMessage; withFile?: boolean };

const shortLimit = 1_000;

/** Returns the message and a version with one line and no blocks. Slack may reject the message as too long. */
export const withShort = (message: NoticeMessage, short = message.text): NoticeVersion[] => [
  { message },
  { message: { text: shorten(firstLine(short), shortLimit) } },
];

export const gone = { outcome: 'rejected', reason: 'the run message is gone' } as const;
