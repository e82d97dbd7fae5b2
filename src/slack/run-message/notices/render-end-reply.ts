import type { KnownBlock } from '@slack/types';
import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { pullRequestsOf } from '../../../requests/pull-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { showAllButton } from '../../runs/showing/buttons/run-buttons.ts';
import { pullRequestName } from '../../runs/showing/pull-request-name.ts';
import { boldTitle, requestLabel } from '../../runs/showing/run-label.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../../runs/showing/run-outcome.ts';
import { agentMarkdown, type MarkdownRoom } from '../../text/agent-markdown.ts';
import { actions, section } from '../../text/blocks.ts';
import { escapeText, firstLine, limits, link, shorten } from '../../text/escape-text.ts';
import { failureSentence } from '../../text/failure.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { mainButtons } from '../message-buttons.ts';
import { endingOf, hasFailed, renderTrouble } from '../run-notes.ts';

const namesShown = 50;
const reasonLimit = 300;
/**
 * Slack rejects a message with more than 50 blocks, or with 11,340 characters of rich text and sections. Its way of
 * counting isn't documented, so answers are limited to less.
 */
const answerRoom = { characters: 8_500, blocks: 40 };
const messageRoom = 11_000;
const beginningRoom = { characters: 3_000, blocks: 20 };
const textRoom = 2_500;
const linksShown = 3;

type Details = {
  /** Names to show without a mention, because the person who canceled the run isn't notified. */
  names?: KnownNames;
  answer?: string | undefined;
  /** True if the answer is known to be longer. */
  isCut?: boolean;
};

/**
 * The reply when a run ends. It's a new message, because Slack doesn't notify people of edits. It has the whole answer, or
 * the beginning with the rest in a file. If Slack rejects one version, the next is smaller.
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  { names = new Map(), answer = answerOf(request.run), isCut = false }: Details = {},
): NoticeVersion[] {
  const { sign, word } = requestLabel(request);
  const mentions = userIds.slice(0, namesShown).map((id) => `<@${id}>`);
  const others = userIds.length - mentions.length;
  const nameOf = (id: string) => escapeText(names.get(id) ?? 'someone in Slack', 100);
  const outcome = escapeText(word.toLowerCase(), 100) + endingOf(request, nameOf);
  const opening = [
    ...mentions,
    ...(others > 0 ? [`and ${others} more`] : []),
    `${sign} ${boldTitle(request.title)}: ${outcome}.`,
  ].join(' ');
  const links = renderLinks(request);
  if (answer === undefined) return withoutAnswer(request, opening, links);
  const below = [...renderChanges(request), ...links].join('\n');
  const characters = Math.min(answerRoom.characters, messageRoom - opening.length - below.length);
  const write = (room: MarkdownRoom): NoticeVersion => {
    const { block, isWhole } = agentMarkdown(answer, room, '…');
    const isPart = isCut || !isWhole;
    const blocks = [
      section(opening),
      block,
      ...(isPart ? [section('The answer is longer.', showAllButton(request.id))] : []),
      ...(below ? [section(below)] : []),
    ];
    // Notifications show this text.
    const text = joined([opening, escapeText(firstLine(answer), reasonLimit), ...links]);
    return { message: { text, blocks }, withFile: isPart };
  };
  const whole = write({ ...answerRoom, characters });
  const beginning = write(beginningRoom);
  return [
    ...(whole.withFile ? [] : [whole]),
    ...(beginning.withFile ? [beginning] : []),
    {
      message: { text: joined([opening, escapeText(answer, textRoom), ...links]) },
      withFile: true,
    },
  ];
}

/** Shows the reason for a failure, its last messages, and buttons that may help. */
function withoutAnswer(request: RunRequest, opening: string, links: string[]): NoticeVersion[] {
  const text = joined([opening, ...renderReason(request), ...links]);
  const trouble = renderTrouble(request);
  const inWords = withShort({ text });
  if (trouble.length === 0 || request.problem?.code === canceledBeforeStart) return inWords;
  const buttons = actions(mainButtons(request).slice(0, 3));
  return [{ message: { text, blocks: [section(opening), ...trouble, buttons] } }, ...inWords];
}

const joined = (lines: readonly string[]) => shorten(lines.join('\n'), limits.messageText);

function renderChanges({ run }: RunRequest): string[] {
  const changes = changesOf(run);
  return changes ? [changesLine(changes)] : [];
}

function renderReason(request: RunRequest): string[] {
  const { problem, run, connectionId } = request;
  const sentence = problem && failureSentence(problem.code, connectionId);
  const message = firstLine(problem?.message ?? statusOf(run));
  const quoted =
    message && (problem || hasFailed(request)) ? [`>${escapeText(message, reasonLimit)}`] : [];
  return [...(sentence ? [sentence] : []), ...quoted];
}

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = pullRequestsOf(run)
    .slice(0, linksShown)
    .map((each) => link(each.url, pullRequestName(each)));
  const links = [...pullRequests, link(run?.session_link, 'Open session')].filter(Boolean);
  return links.length > 0 ? [links.join('  ·  ')] : [];
}

type NoticeMessage = { text: string; blocks?: KnownBlock[] };

/** One version of a notice. `withFile` is true if it has only the beginning of the answer, so a file has the rest. */
export type NoticeVersion = { message: NoticeMessage; withFile?: boolean };

const shortLimit = 1_000;

/** Adds a version with one line and no blocks, in case Slack rejects the message as too long. */
export const withShort = (message: NoticeMessage, short = message.text): NoticeVersion[] => [
  { message },
  { message: { text: shorten(firstLine(short), shortLimit) } },
];

export const gone = { outcome: 'refused', reason: 'the run message is gone' } as const;
