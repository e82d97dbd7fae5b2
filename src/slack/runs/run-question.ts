import { fingerprint } from 'base/fingerprint';
import { shownText } from 'base/secrets/mask-secrets';
import { type Question, questionSchema, type Run } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { statusOf } from './showing/run-outcome.ts';

/** Question that a run waits for, masked. `questionId` is null if the service only says that the run waits. */
export type OpenQuestion = {
  /** ID of the post that shows the question, and of its answer. */
  postId: string;
  questionId: string | null;
  question: Question;
};

/**
 * Returns the question of a run that needs input, or undefined. If the service has no question, people answer with
 * text, which is sent as a follow-up.
 */
export function openQuestion(
  request: Pick<RunRequest, 'id' | 'step' | 'run' | 'blockedAt'>,
): OpenQuestion | undefined {
  const { id, step, run, blockedAt } = request;
  if (step !== 'following' || !isAnswerable(run)) return undefined;
  const current = run?.agent_progress?.question;
  const key = current ? { question: current.id } : { blockedAt };
  return {
    postId: `${id} question ${fingerprint(key)}`,
    questionId: current?.id ?? null,
    question: current ? masked(current) : unnamed(statusOf(run)),
  };
}

/**
 * Returns true if the run waits for an answer that people can give in Slack. Returns false if it needs permission on
 * another page.
 */
export const isAnswerable = (run: Run | null): boolean =>
  run?.state === 'BLOCKED' &&
  (Boolean(run.agent_progress?.question) || !run.status_message?.auth_url);

/**
 * Returns true if the run has reached a spending cap and asks for more. Only people with the permission can answer, and
 * only by button, so that no text in the thread spends money.
 */
export const isAboutSpending = ({ kind }: Pick<Question, 'kind'>): boolean => kind === 'spend';

const unnamed = (text: string): Question => ({ id: '', text, options: [], takes_text: true });

/** Masks everything except IDs, which are sent back. */
const masked = ({ text, details, options, fields, ...others }: Question): Question => ({
  ...others,
  ...(isAboutSpending(others)
    ? { takes_text: false }
    : { ...(fields && { fields: fields.map(maskedField) }) }),
  text: shownText(text),
  details: details && shownText(details),
  options: options.map((option) => ({ ...option, label: optionLabel(option) })),
});

/** Returns the label of an option. Replaces the labels that agents usually give to permissions with the app's own. */
function optionLabel({ label, kind }: Question['options'][number]): string {
  const text = shownText(label);
  if (kind === 'allow_always' && /^always allow$/i.test(text.trim()))
    return 'Always allow in this run';
  return kind?.startsWith('reject') && /^reject$/i.test(text.trim()) ? 'Deny' : text;
}

const maskedField = ({ label, description, options, ...field }: QuestionField): QuestionField => ({
  ...field,
  label: shownText(label),
  description: description && shownText(description),
  options: options?.map((each) => ({ ...each, label: shownText(each.label) })),
});

/** Returns the time when the question closes, in epoch ms. Undefined if the service doesn't say. */
export function closesAt({ expires_at: at }: Question): number | undefined {
  const ms = Date.parse(at ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Reasons why a question closed without an answer from Slack. */
const closings = ['expired', 'elsewhere', 'over'] as const;

const contentSchema = z.object({
  question: questionSchema,
  /** People whom the question mentions. */
  names: z.array(z.string()),
  /** User groups that the question mentions. */
  groups: z.array(z.string()).optional(),
  /** The `ts` of the card that the run message links to. */
  linked: z.string().optional(),
  closed: z.enum(closings).optional(),
});
/** Content of a question's post, as the question was asked. The run may have continued since. */
export type QuestionContent = z.infer<typeof contentSchema>;

export const readQuestionPost = ({ content }: Pick<OutboxRow, 'content'>): QuestionContent =>
  contentSchema.parse(content);

export const newQuestionPost = (
  { id, teamId }: Pick<RunRequest, 'id' | 'teamId'>,
  { postId, question }: OpenQuestion,
  { names, groups }: Pick<QuestionContent, 'names' | 'groups'>,
): NewPost => ({
  id: postId,
  kind: 'question',
  teamId,
  requestId: id,
  content: { question, names, ...(groups && { groups }) } satisfies QuestionContent,
  dueAt: Date.now(),
});
