import { fingerprint } from 'base/fingerprint';
import type { DueAt } from 'base/leased-work';
import type { RunsApiError } from 'runs-client/runs-api-error';
import type { Answer, AnswerOutcome } from '../../requests/answer.ts';
import { pollDelayMs } from '../poll-delays.ts';
import { callOptions, type FollowedRuns, readFailure } from '../runs-port.ts';
import type { FollowingDeps, Tracked } from '../track.ts';

/** Max time to retry an answer while the service can't be reached, in ms. No agent waits longer for an answer. */
const giveUpAfterMs = 24 * 60 * 60_000;

type Deps = Pick<FollowingDeps, 'runs' | 'answers' | 'logger'>;
type CallOptions = { signal: AbortSignal; timeoutMs: number; maxRetries: number };

/**
 * Gives the stored answer to the agent. Repeats an answer to a question until the service accepts or rejects it,
 * because the service deduplicates by key. Doesn't repeat a follow-up that the agent may have received.
 */
export async function answerQuestion(
  { runs, answers, logger }: Deps,
  { request, note }: Tracked,
  signal: AbortSignal,
): Promise<DueAt> {
  const { id: requestId, runId, pendingAnswer } = request;
  if (runId === null || pendingAnswer === null) return null;
  const answer = await answers.find(pendingAnswer);
  if (!answer || answer.outcome !== null) return null;
  const now = Date.now();
  if (answer.retryAt !== null && answer.retryAt > now) return answer.retryAt;
  const mightHaveArrived = answer.beganAt !== null;
  if (mightHaveArrived && answer.given.questionId === null) return settle('unclear');
  if (!(await answers.begin(answer, now))) return now;
  try {
    await send(runs, runId, answer, callOptions(signal));
  } catch (error) {
    if (signal.aborted) return now;
    const { code, message, retryAfterMs } = readFailure(error);
    logger.warn({ requestId, code }, 'question not answered yet');
    const rejection = readRejection(error as RunsApiError, answer);
    const askedMs = now - answer.answeredAt;
    if (rejection)
      return settle(mightHaveArrived && rejection === 'late' ? 'unclear' : rejection, message);
    if (askedMs > giveUpAfterMs) return settle('unclear');
    const retryAt = now + Math.max(retryAfterMs, pollDelayMs(askedMs));
    const { sent } = error as RunsApiError;
    await answers.retryLater(answer.id, retryAt, !sent || code === 'rate_limited');
    return retryAt;
  }
  logger.info({ requestId, runId }, 'question answered');
  return settle('accepted');

  /** Stores the outcome of the answer. Polls the run at once, to show if the run continues. */
  async function settle(outcome: AnswerOutcome, problem: string | null = null): Promise<DueAt> {
    if (!answer) return null;
    await answers.settle(answer, outcome, outcome === 'rejected' ? problem : null);
    if (request.step === 'following') note({ nextPollAt: now });
    return null;
  }
}

function send(
  runs: Pick<FollowedRuns, 'answer' | 'followUp'>,
  runId: string,
  { id, answeredBy, answeredAt, given }: Answer,
  call: CallOptions,
): PromiseLike<unknown> {
  const { questionId, optionId, values, text } = given;
  const options = { ...call, idempotencyKey: fingerprint({ id, answeredBy, answeredAt }) };
  if (questionId === null) return runs.followUp(runId, text, options);
  const chosen = values ? { values } : optionId === undefined ? { text } : { option_id: optionId };
  return runs.answer(runId, { question_id: questionId, ...chosen }, options);
}

/** Error codes after which the agent may have received the answer, such as a timeout. */
const unknown: ReadonlySet<string> = new Set(['timeout', 'connection', 'bad_response']);

/** Returns the outcome of a rejected answer. Undefined if the same call may succeed later. */
function readRejection(
  { code, status, retryable }: RunsApiError,
  { given }: Answer,
): AnswerOutcome | undefined {
  if (retryable || code === 'unauthorized' || code === 'rate_limited') return undefined;
  if (code === 'not_found' || status === 405) return 'not_offered';
  // Return `late`, because the run has ended or the question is closed.
  if (code === 'conflict' || (given.questionId === null && code === 'bad_request')) return 'late';
  return unknown.has(code) ? undefined : 'rejected';
}
