import { questionSchema } from 'runs-client/contract';
import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { OpenQuestion } from './run-question.ts';

/** How a question ended without an answer from Slack. */
const closings = ['expired', 'elsewhere', 'over'] as const;

const contentSchema = z.object({
  question: questionSchema,
  /** Who is mentioned. */
  names: z.array(z.string()),
  closed: z.enum(closings).optional(),
});
/** The question as it was asked: the run may have gone on since. */
export type QuestionContent = z.infer<typeof contentSchema>;

export const readQuestionPost = ({ content }: Pick<OutboxRow, 'content'>): QuestionContent =>
  contentSchema.parse(content);

export const newQuestionPost = (
  { id, teamId }: Pick<RunRequest, 'id' | 'teamId'>,
  { postId, question }: OpenQuestion,
  names: string[],
): NewPost => ({
  id: postId,
  kind: 'question',
  teamId,
  requestId: id,
  content: { question, names } satisfies QuestionContent,
  dueAt: Date.now(),
});
