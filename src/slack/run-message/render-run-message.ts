import type { Button, KnownBlock } from '@slack/types';
import { isTerminalState } from 'runs-client/contract';
import type { RunRequest } from '../../store/request-row.ts';
import { splitPrompt } from '../runs/prompt-context.ts';
import { renderArtifacts } from '../runs/run-artifacts.ts';
import { configurationLine, historyLine } from '../runs/run-facts.ts';
import { requestLabel } from '../runs/run-state.ts';
import { titleLine } from '../runs/run-title.ts';
import { shownText } from '../secrets/mask-secrets.ts';
import {
  actions,
  context,
  escapeText,
  firstLine,
  header,
  limits,
  quote,
  section,
  shorten,
} from '../text/blocks.ts';
import { durationText } from '../text/duration.ts';
import { fewLines } from './few-lines.ts';
import { renderButtons } from './message-buttons.ts';
import { howItEnded, renderAttention } from './run-attention.ts';
import { hasFailed, renderTrouble } from './run-trouble.ts';

/** All blocks of a message together stay far below the 12,000 characters that Slack takes. */
const promptLimit = 1_500;
const promptLines = 15;
const noteLimit = 300;
const wordLimit = 100;

export type RunMessage = { text: string; blocks: KnownBlock[] };

/**
 * The run message: everything that it shows comes from the stored request, so equal requests give equal messages.
 * `more` are buttons of other features.
 */
export function renderRunMessage(request: RunRequest, more: readonly Button[] = []): RunMessage {
  const configuration = configurationLine(request);
  const buttons = renderButtons(request, more);
  const blocks: KnownBlock[] = [
    header(request.title),
    section(renderState(request)),
    // Always there: Slack refuses an update that takes the last rich text out of a message (block_mismatch).
    quote(fewLines(writtenPrompt(request), promptLines, promptLimit), promptLimit),
    ...renderArtifacts(request.run),
    ...renderTrouble(request),
    ...(configuration ? [context(configuration)] : []),
    context(historyLine(request)),
    actions(buttons),
  ];
  return { text: renderNotification(request), blocks };
}

/** What goes along of a thread is to be seen there and in the details; that it went along is said below. */
function writtenPrompt({ prompt, origin }: RunRequest): string {
  const written = (origin?.context?.messages && splitPrompt(prompt).prompt) || prompt;
  return shownText(written);
}

/** State in words first, then what else there is to know of it now. */
function renderState(request: RunRequest): string {
  const { sign, word } = requestLabel(request);
  const notes = renderNotes(request).map((note) => `\n${note}`);
  return `${sign} *${escapeText(word, wordLimit)}*${howItEnded(request)}${notes.join('')}`;
}

function renderNotes(request: RunRequest): string[] {
  const { run } = request;
  const attention = renderAttention(request);
  if (!run) return attention;
  // The words of a failure have a place of their own.
  const said = hasFailed(request) ? '' : firstLine(run.status_message?.message ?? '');
  const asks = run.state === 'BLOCKED' ? ['Open the session to answer it.'] : [];
  return [
    ...(said ? [escapeText(said, noteLimit)] : []),
    ...usualWait(request),
    ...asks,
    ...attention,
  ];
}

/** What a notification shows: it must say everything that matters in one line. */
function renderNotification(request: RunRequest): string {
  const { word } = requestLabel(request);
  const status = request.run?.status_message?.message;
  const isOver = isTerminalState(request.run?.state ?? '');
  const why = isOver && hasFailed(request) && status ? ` (${shorten(firstLine(status), 150)})` : '';
  const title = shorten(titleLine(request.title), 200);
  return escapeText(`${word}: ${title}${why}`, limits.messageText);
}

/** From when the run was created, so that the message does not change because others end. */
function usualWait({ run, usual }: RunRequest): string[] {
  if (run?.state !== 'QUEUED' || usual?.waitMs === undefined) return [];
  return [`In this environment a run usually waits ${durationText(usual.waitMs)}.`];
}
