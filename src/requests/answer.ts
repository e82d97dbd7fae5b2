import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import { authoritySchema } from './authority.ts';

const givenAnswerSchema = z.object({
  /** Null if the service only says that its run waits: the answer is then a follow-up. */
  questionId: z.string().nullable(),
  optionId: z.string().optional(),
  /** Values of a form, by the names of its fields. */
  values: z.record(z.string(), fieldValueSchema).optional(),
  /** The typed text, or the option or the values in words. */
  text: z.string(),
});
export type GivenAnswer = z.infer<typeof givenAnswerSchema>;

/**
 * Result of an answer. `late`: the question was closed before. `unclear`: the agent may have received it.
 */
export type AnswerOutcome = 'accepted' | 'late' | 'unclear' | 'refused' | 'not_offered';

/** After these, people may answer again. */
export const answerableAfter: readonly AnswerOutcome[] = ['unclear', 'refused', 'not_offered'];

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
  /** Start of the call that sends it, if the service hasn't answered since. */
  beganAt: z.number().nullable(),
  retryAt: z.number().nullable(),
  /** Null until the service has answered. */
  outcome: z.custom<AnswerOutcome | null>(),
  /** Why it was refused, for people, without secrets. */
  problem: z.string().nullable(),
});
export type Answer = z.infer<typeof answerSchema>;
export type NewAnswer = Omit<Answer, 'beganAt' | 'retryAt' | 'outcome' | 'problem'>;
