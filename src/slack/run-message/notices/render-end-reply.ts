import { canceledBeforeStart } from '../../../requests/cancel.ts';
import { pullRequestsOf } from '../../../requests/pull-request.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../../runs/showing/run-outcome.ts';
import { pullRequestName } from '../../runs/showing/run-pull-requests.ts';
import { boldTitle } from '../../runs/showing/run-title.ts';
import { requestLabel } from '../../runs/showing/state-label.ts';
import { agentMarkdown } from '../../text/agent-markdown.ts';
import { actions, section } from '../../text/blocks.ts';
import { escapeText, firstLine, shorten } from '../../text/escape-text.ts';
import { failureSentence } from '../../text/failure.ts';
import { link } from '../../text/links.ts';
import { limits } from '../../text/slack-limits.ts';
import type { KnownNames } from '../../text/typed-text.ts';
import { mainButtons } from '../rendering/message-buttons.ts';
import { howItEnded } from '../rendering/run-attention.ts';
import { hasFailed, renderTrouble } from '../rendering/run-trouble.ts';
import type { NoticeMessage } from './notice-parts.ts';

const namesShown = 50;
const reasonLimit = 300;
/** All blocks of a message take 12,000 characters. A longer answer is a file, below its beginning. */
const answerLimit = 11_000;
const beginningLimit = 3_000;
const linksShown = 3;

/** Links and mentions get a few characters longer when they're made harmless. */
export const isLongAnswer = (answer: string | undefined): boolean =>
  answer !== undefined && [...plainAnswer(answer)].length > answerLimit;

const plainAnswer = (answer: string) => agentMarkdown(answer, Number.POSITIVE_INFINITY, '').text;

type Known = {
  /** Names without a mention: the person who canceled the run isn't notified. */
  known?: KnownNames;
  answer?: string | undefined;
};

/**
 * The reply when a run ends: a new message, because Slack doesn't notify people of edits.
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  { known = new Map(), answer = answerOf(request.run) }: Known = {},
): NoticeMessage {
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
  const below = [...renderChanges(request), ...links];
  return {
    // What notifications show.
    text: joined([said, escapeText(firstLine(answer), reasonLimit), ...links]),
    blocks: [
      section(said),
      isLongAnswer(answer)
        ? agentMarkdown(answer, beginningLimit, '_The whole answer is in the session._')
        : agentMarkdown(answer, answerLimit, ''),
      ...(below.length > 0 ? [section(below.join('\n'))] : []),
    ],
  };
}

/** A failure has its reason, the last words about it, and what may help. */
function withoutAnswer(request: RunRequest, said: string, links: string[]): NoticeMessage {
  const text = joined([said, ...renderReason(request), ...links]);
  const trouble = renderTrouble(request);
  if (trouble.length === 0 || request.problem?.code === canceledBeforeStart) return { text };
  return { text, blocks: [section(said), ...trouble, actions(mainButtons(request).slice(0, 3))] };
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

/** The outcome alone, for when Slack refuses the reply as too long. */
export const shortEndReply = (text: string): string => shorten(firstLine(text), 1_000);

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = pullRequestsOf(run)
    .slice(0, linksShown)
    .map((each) => link(each.url, pullRequestName(each)));
  const links = [...pullRequests, link(run?.session_link, 'Open session')].filter(Boolean);
  return links.length > 0 ? [links.join('  ·  ')] : [];
}
