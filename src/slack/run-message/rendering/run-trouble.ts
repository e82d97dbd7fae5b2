import type { KnownBlock, SectionBlock } from '@slack/types';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { failureMeaning, statusOf } from '../../runs/showing/run-outcome.ts';
import { section } from '../../text/blocks.ts';
import { time } from '../../text/dates.ts';
import { escapeText } from '../../text/escape-text.ts';
import { failureSentence } from '../../text/failure.ts';
import { truncateLines } from './truncate-lines.ts';

const detailLimit = 600;
const detailLines = 8;
/** Escaped; leaves room for the fences in a section's 3,000. */
const wordsLimit = 2_900;

export const hasFailed = ({ run }: RunRequest) => run?.state === 'FAILED' || run?.state === 'ERROR';

/** Why there is no news or no run, or why the run failed: what it means, then the exact words. */
export function renderTrouble(request: RunRequest): KnownBlock[] {
  const { problem } = request;
  if (!problem) return renderFailure(request);
  const { code, message, since } = problem;
  const sentence = failureSentence(code, request.connectionId);
  if (request.step === 'following' && request.unfollowedAt === null) {
    return [section(`⚠️ ${sentence} No updates since ${time(since)}. We'll keep checking.`)];
  }
  if (request.step === 'posted') {
    return [section(`⚠️ ${sentence} We've been trying to start this run since ${time(since)}.`)];
  }
  return [section(sentence), ...exactWords(message)];
}

function renderFailure(request: RunRequest): KnownBlock[] {
  if (!hasFailed(request)) return [];
  const status = request.run?.status_message;
  const meaning = failureMeaning(status?.error_code);
  const blocks = [...(meaning ? [section(meaning)] : []), ...exactWords(statusOf(request.run))];
  return blocks.length > 0 ? blocks : [section("The runs service didn't give a reason.")];
}

/** In mrkdwn rather than rich text; see `renderRunMessage`. Backticks would end the block early. */
function exactWords(words: string): SectionBlock[] {
  const text = truncateLines(words.trim(), detailLines, detailLimit).replaceAll('```', 'ˋˋˋ');
  return text ? [section(`\`\`\`\n${escapeText(text, wordsLimit)}\n\`\`\``)] : [];
}
