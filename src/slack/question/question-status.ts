import type { Answer } from '../../requests/answer.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { QuestionContent } from '../runs/run-question.ts';
import { closesAt, openQuestion } from '../runs/run-question.ts';

/**
 * `sending`: the service hasn't got the answer yet. `closing`: its time is over, and the run doesn't show that yet.
 * `elsewhere`: it was answered outside of Slack. `over`: the run has ended.
 */
export type QuestionStatus =
  | 'open'
  | 'sending'
  | 'answered'
  | 'late'
  | 'closing'
  | 'expired'
  | 'elsewhere'
  | 'over';

type Shown = {
  postId: string;
  content: QuestionContent;
  request: RunRequest;
  answer: Answer | undefined;
};

export function questionStatus(
  { postId, content, request, answer }: Shown,
  now: number,
): QuestionStatus {
  if (answer?.outcome === 'accepted') return 'answered';
  if (answer?.outcome === 'late') return 'late';
  if (answer?.outcome === null) return 'sending';
  if (content.closed) return content.closed;
  const closes = closesAt(content.question);
  const isLate = closes !== undefined && now >= closes;
  if (openQuestion(request)?.postId === postId) return isLate ? 'closing' : 'open';
  if (request.step !== 'following') return 'over';
  return isLate ? 'expired' : 'elsewhere';
}
