import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { pullRequestsOf } from '../../../requests/pull-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { showAllButton } from '../../runs/showing/buttons/run-buttons.ts';
import { boldTitle, requestLabel } from '../../runs/showing/run-label.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../../runs/showing/run-outcome.ts';
import { pullRequestName } from '../../runs/showing/run-pull-requests.ts';
import { agentMarkdown, type MarkdownRoom } from '../../text/agent-markdown.ts';
import { actions, section } from '../../text/blocks.ts';
import { escapeText, firstLine, limits, link, shorten } from '../../text/escape-text.ts';
import { failureSentence } from '../../text/failure.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { mainButtons } from '../rendering/message-buttons.ts';
import { howItEnded } from '../rendering/run-attention.ts';
import { hasFailed, renderTrouble } from '../rendering/run-trouble.ts';
import { type NoticeVersion, withShort } from './notice-parts.ts';

const namesShown = 50;
const reasonLimit = 300;
/**
 * Slack refuses a message with more than 50 blocks, or 11,340 characters of rich text and sections. How it counts isn't
 * documented, so an answer has less.
 */
const answerRoom = { characters: 8_500, blocks: 40 };
const messageRoom = 11_000;
const beginningRoom = { characters: 3_000, blocks: 20 };
const textRoom = 2_500;
const linksShown = 3;

type Known = {
  /** Names without a mention: the person who canceled the run isn't notified. */
  known?: KnownNames;
  answer?: string | undefined;
  /** It's known that there is more of it. */
  isCut?: boolean;
};

/**
 * The reply when a run ends: a new message, because Slack doesn't notify people of edits. It has the whole answer, or its
 * beginning and the rest in a file. If Slack refuses one version, the next is less.
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  { known = new Map(), answer = answerOf(request.run), isCut = false }: Known = {},
): NoticeVersion[] {
  const { sign, word } = requestLabel(request);
  const mentions = userIds.slice(0, namesShown).map((id) => `<@${id}>`);
  const others = userIds.length - mentions.length;
  const shown = (id: string) => escapeText(known.get(id) ?? 'someone in Slack', 100);
  const outcome = escapeText(word.toLowerCase(), 100) + howItEnded(request, shown);
  const said = [
    ...mentions,
    ...(others > 0 ? [`and ${others} more`] : []),
    `${sign} ${boldTitle(request.title)}: ${outcome}.`,
  ].join(' ');
  const links = renderLinks(request);
  if (answer === undefined) return withoutAnswer(request, said, links);
  const below = [...renderChanges(request), ...links].join('\n');
  const characters = Math.min(answerRoom.characters, messageRoom - said.length - below.length);
  const write = (room: MarkdownRoom): NoticeVersion => {
    const { block, isWhole } = agentMarkdown(answer, room, '…');
    const isPart = isCut || !isWhole;
    const blocks = [
      section(said),
      block,
      ...(isPart ? [section('The answer is longer.', showAllButton(request.id))] : []),
      ...(below ? [section(below)] : []),
    ];
    // Notifications show this text.
    const text = joined([said, escapeText(firstLine(answer), reasonLimit), ...links]);
    return { message: { text, blocks }, withFile: isPart };
  };
  const whole = write({ ...answerRoom, characters });
  const beginning = write(beginningRoom);
  return [
    ...(whole.withFile ? [] : [whole]),
    ...(beginning.withFile ? [beginning] : []),
    {
      message: { text: joined([said, escapeText(answer, textRoom), ...links]) },
      withFile: true,
    },
  ];
}

/** A failure has its reason, the last words about it, and what may help. */
function withoutAnswer(request: RunRequest, said: string, links: string[]): NoticeVersion[] {
  const text = joined([said, ...renderReason(request), ...links]);
  const trouble = renderTrouble(request);
  const inWords = withShort({ text });
  if (trouble.length === 0 || request.problem?.code === canceledBeforeStart) return inWords;
  const buttons = actions(mainButtons(request).slice(0, 3));
  return [{ message: { text, blocks: [section(said), ...trouble, buttons] } }, ...inWords];
}

const joined = (lines: readonly string[]) => shorten(lines.join('\n'), limits.messageText);

function renderChanges({ run }: RunRequest): string[] {
  const changes = changesOf(run);
  return changes ? [changesLine(changes)] : [];
}

function renderReason(request: RunRequest): string[] {
  const { problem, run, connectionId } = request;
  const sentence = problem && failureSentence(problem.code, connectionId);
  const words = firstLine(problem?.message ?? statusOf(run));
  const quoted =
    words && (problem || hasFailed(request)) ? [`>${escapeText(words, reasonLimit)}`] : [];
  return [...(sentence ? [escapeText(sentence, 500)] : []), ...quoted];
}

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = pullRequestsOf(run)
    .slice(0, linksShown)
    .map((each) => link(each.url, pullRequestName(each)));
  const links = [...pullRequests, link(run?.session_link, 'Open session')].filter(Boolean);
  return links.length > 0 ? [links.join('  ·  ')] : [];
}
