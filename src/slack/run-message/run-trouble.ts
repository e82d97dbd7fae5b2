import type { KnownBlock } from '@slack/types';
import type { RunRequest } from '../../store/request-row.ts';
import { failureMeaning } from '../runs/failed-run.ts';
import { codeBlock, section, time } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import { fewLines } from './few-lines.ts';

/** All blocks of a message together stay far below the 12,000 characters that Slack takes. */
const detailLimit = 1_500;
const detailLines = 20;

/** Whether the run ended by a failure, of the agent's or of the platform's. */
export const hasFailed = ({ run }: RunRequest) => run?.state === 'FAILED' || run?.state === 'ERROR';

/** What stands in the request's way, or why its run failed: what it means, then the exact words. */
export function renderTrouble(request: RunRequest): KnownBlock[] {
  const { problem } = request;
  if (!problem) return renderFailure(request);
  if (request.step === 'following' && request.unfollowedAt === null) {
    const since = `Nothing heard since ${time(problem.since)}; the run itself may go on. Still asking.`;
    return [section(`⚠️ ${failureSentence(problem.code)} ${since}`)];
  }
  if (request.step === 'posted') {
    const since = `Trying since ${time(problem.since)}; nothing is lost.`;
    return [section(`⚠️ ${failureSentence(problem.code)} ${since}`)];
  }
  const detail = problem.message
    ? [codeBlock(fewLines(problem.message, detailLines, detailLimit), detailLimit)]
    : [];
  return [section(failureSentence(problem.code)), ...detail];
}

function renderFailure(request: RunRequest): KnownBlock[] {
  const status = request.run?.status_message;
  if (!hasFailed(request)) return [];
  const meaning = failureMeaning(status?.error_code);
  const words = status?.message.trim();
  return [
    ...(meaning ? [section(meaning.sentence)] : []),
    ...(words ? [codeBlock(fewLines(words, detailLines, detailLimit), detailLimit)] : []),
    ...(meaning || words ? [] : [section('The runs service does not say why.')]),
  ];
}
