import { fingerprint } from 'base/fingerprint';
import { shownText } from 'base/secrets/mask-secrets';
import { type Question, questionSchema } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { statusOf } from './showing/run-outcome.ts';

type Asked = Pick<RunRequest, 'id' | 'step' | 'run' | 'blockedAt'>;

/** What a run waits for, masked. `questionId`: null if the service only says that it waits. */
export type OpenQuestion = {
  /** Of the post that shows it, and of its answer. */
  postId: string;
  questionId: string | null;
  question: Question;
};

/** Undefined unless the run needs input. A service that names no question takes text, as a follow-up. */
export function openQuestion(request: Asked): OpenQuestion | undefined {
  const { id, step, run, blockedAt } = request;
  if (step !== 'following' || run?.state !== 'BLOCKED') return undefined;
  const asked = run.agent_progress?.question;
  // What it needs is a permission on another page.
  if (!asked && run.status_message?.auth_url) return undefined;
  const key = asked ? { question: asked.id } : { blockedAt };
  return {
    postId: `${id} question ${fingerprint(key)}`,
    questionId: asked?.id ?? null,
    question: asked ? masked(asked) : unnamed(statusOf(run)),
  };
}

const unnamed = (text: string): Question => ({ id: '', text, options: [], takes_text: true });

/** Ids are sent back as they are. */
const masked = ({ text, details, options, fields, ...others }: Question): Question => ({
  ...others,
  ...(fields && { fields: fields.map(maskedField) }),
  text: shownText(text),
  details: details && shownText(details),
  options: options.map(({ label, ...option }) => ({ ...option, label: shownText(label) })),
});

const maskedField = ({ label, description, options, ...field }: QuestionField): QuestionField => ({
  ...field,
  label: shownText(label),
  description: description && shownText(description),
  options: options?.map((each) => ({ ...each, label: shownText(each.label) })),
});

/** When it closes (epoch milliseconds); undefined if the service doesn't say. */
export function closesAt({ expires_at: at }: Question): number | undefined {
  const ms = Date.parse(at ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

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
