import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import { authoritySchema } from './authority.ts';

const givenAnswerSchema = z.object({
  /** ID of the question. Null for a follow-up, which answers a run that waits without asking. */
  questionId: z.string().nullable(),
  optionId: z.string().optional(),
  /** Form values, keyed by field name. */
  values: z.record(z.string(), fieldValueSchema).optional(),
  /** Typed text, or the selected option or form values as text. */
  text: z.string(),
  /** True for the answer to a question about spending. The audit log then contains the answer. */
  isAboutSpending: z.boolean().optional(),
});
export type GivenAnswer = z.infer<typeof givenAnswerSchema>;

/** Result of an answer. `late`: the question was already closed. `unclear`: the agent may have received it. */
export type AnswerOutcome = 'accepted' | 'late' | 'unclear' | 'rejected' | 'not_offered';

/** Outcomes after which people can answer again. */
export const answerableAfter: readonly AnswerOutcome[] = ['unclear', 'rejected', 'not_offered'];

/** The one answer to a question. Times are epoch milliseconds. */
export const answerSchema = z.object({
  /** ID of the question's post. */
  id: z.string(),
  teamId: z.string(),
  requestId: z.string(),
  answeredBy: z.string(),
  authority: authoritySchema,
  answeredAt: z.number(),
  given: givenAnswerSchema,
  /** Start of the latest call that sends the answer. Null if the answer certainly didn't reach the service. */
  beganAt: z.number().nullable(),
  retryAt: z.number().nullable(),
  /** Service's response, or null before it responds. */
  outcome: z.custom<AnswerOutcome | null>(),
  /** Reason of the rejection for people, without secrets. */
  problem: z.string().nullable(),
});
export type Answer = z.infer<typeof answerSchema>;
export type NewAnswer = Omit<Answer, 'beganAt' | 'retryAt' | 'outcome' | 'problem'>;
