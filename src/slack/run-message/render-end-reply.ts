import type { RunRequest } from '../../store/requests/request-row.ts';
import { listArtifacts } from '../runs/run-artifacts.ts';
import { answerOf, changesLine, changesOf, statusOf } from '../runs/run-outcome.ts';
import { requestLabel } from '../runs/run-state.ts';
import { boldTitle } from '../runs/run-title.ts';
import { agentMarkdown } from '../text/agent-markdown.ts';
import { escapeText, firstLine, limits, link, section, shorten } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import type { KnownNames } from '../text/typed-text.ts';
import type { NoticeMessage } from './notice-parts.ts';
import { howItEnded } from './run-attention.ts';
import { hasFailed } from './run-trouble.ts';

const namesShown = 50;
const reasonLimit = 300;
/** All blocks of a message take 12,000 characters. */
const answerLimit = 8_000;
const linksShown = 3;

/**
 * The reply when a run ends: a new message, because Slack doesn't notify people of edits.
 * @param known names without a mention: the person who canceled the run isn't notified
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  known: KnownNames = new Map(),
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
  const answer = answerOf(request.run);
  if (answer === undefined) return { text: joined([said, ...renderReason(request), ...links]) };
  const below = [...renderChanges(request), ...links];
  return {
    // What notifications show.
    text: joined([said, escapeText(firstLine(answer), reasonLimit), ...links]),
    blocks: [
      section(said),
      agentMarkdown(answer, answerLimit, '_The rest is in the session._'),
      ...(below.length > 0 ? [section(below.join('\n'))] : []),
    ],
  };
}

const joined = (lines: readonly string[]) => shorten(lines.join('\n'), limits.messageText);

function renderChanges({ run }: RunRequest): string[] {
  const changes = changesOf(run);
  return changes ? [changesLine(changes)] : [];
}

function renderReason(request: RunRequest): string[] {
  const { problem, run } = request;
  const words = firstLine(problem?.message ?? statusOf(run));
  const quoted =
    words && (problem || hasFailed(request)) ? [`>${escapeText(words, reasonLimit)}`] : [];
  return [...(problem ? [escapeText(failureSentence(problem.code), 500)] : []), ...quoted];
}

/** The outcome alone, for when Slack refuses the reply as too long. */
export const shortEndReply = (text: string): string => shorten(firstLine(text), 1_000);

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = listArtifacts(run, linksShown)
    .filter(({ word }) => word === 'Pull request')
    .map(({ label, url }) => link(url, label));
  const links = [...pullRequests, link(run?.session_link, 'Open session')].filter(Boolean);
  return links.length > 0 ? [links.join('  ·  ')] : [];
}
