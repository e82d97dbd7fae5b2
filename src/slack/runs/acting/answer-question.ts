import { isDeepStrictEqual } from 'node:util';
import { maskSecrets } from 'base/secrets/mask-secrets';
import type { Answer, GivenAnswer } from '../../../requests/answer.ts';
import type { Authority } from '../../../requests/authority.ts';
import type { Answers } from '../../../store/requests/answers.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Rights } from '../../people/rights.ts';
import { time } from '../../text/dates.ts';
import { escapeText } from '../../text/escape-text.ts';
import { isAboutSpending, type OpenQuestion, openQuestion } from '../run-question.ts';

export type AnswerDeps = {
  answers: Pick<Answers, 'find' | 'give'>;
  rights: Pick<Rights, 'authorizeAnswer'>;
  wake(): void;
};

/**
 * Outcome of an answer. `none` means that the message isn't an answer. `sentence` says why nothing was stored, as
 * mrkdwn.
 */
export type AnswerOutcome = 'answered' | 'none' | { sentence: string };

/**
 * Stores an answer, which the follower sends to the agent. Stores only the first answer to a question.
 * @returns reason why nothing was stored, as mrkdwn
 */
export async function storeAnswer(
  { answers, wake }: Pick<AnswerDeps, 'answers' | 'wake'>,
  { request, authority }: { request: RunRequest; authority: Authority },
  { postId, questionId, question }: OpenQuestion,
  chosen: Omit<GivenAnswer, 'questionId' | 'isAboutSpending'>,
): Promise<string | undefined> {
  const { id: requestId, teamId } = request;
  const { actorId: userId } = authority;
  const given = {
    questionId,
    ...chosen,
    ...(isAboutSpending(question) && { isAboutSpending: true }),
  };
  const isFirst = await answers.give({
    id: postId,
    teamId,
    requestId,
    answeredBy: userId,
    authority,
    answeredAt: Date.now(),
    given,
  });
  if (isFirst) wake();
  const before = isFirst ? undefined : await answers.find(postId);
  // Treat a repeated delivery or a double click as a success.
  const isSame = before?.answeredBy === userId && isDeepStrictEqual(before.given, given);
  return isFirst || isSame ? undefined : answeredBefore(before);
}

/** Returns a sentence about the first answer, for a person who answered later. */
export function answeredBefore(answer: Answer | undefined): string {
  if (!answer) return closed;
  const { answeredBy, answeredAt, given } = answer;
  const text = escapeText(maskSecrets(given.text).text, 300);
  return `<@${answeredBy}> already answered this question, ${time(answeredAt)}: ${text}`;
}

export const closed = 'This question is closed. The run message shows its progress.';

const onlyByButton =
  'Only the buttons in this thread can allow more spending or stop the run, so your message changed nothing.';

/** Reply to a message that was written before the agent asked its question. */
const meantEarlier =
  "The agent asked this question after you wrote, so your message isn't its answer. Write again to answer.";

/**
 * Reads a message in a run's thread as the answer to its question. Accepts the label of an option, or any text if the
 * question accepts text. Checks that the person can answer.
 * @param ts timestamp of the message
 */
export async function answerFromReply(
  parts: AnswerDeps,
  { request, userId }: { request: RunRequest; userId: string },
  { text, ts }: { text: string; ts: string },
): Promise<AnswerOutcome> {
  const open = openQuestion(request);
  const chosen = open && choiceIn(open, text);
  if (!chosen) return 'none';
  if (isAboutSpending(open.question)) return { sentence: onlyByButton };
  if (Number(ts) * 1000 < Date.parse(open.question.asked_at ?? ''))
    return { sentence: meantEarlier };
  const authorized = await parts.rights.authorizeAnswer(request, userId);
  if ('denial' in authorized) return { sentence: authorized.denial };
  const { authority } = authorized;
  const sentence = await storeAnswer(parts, { request, authority }, open, chosen);
  return sentence === undefined ? 'answered' : { sentence };
}

/** Returns the original labels of options that `openQuestion` renames, because people may still type them. */
const usualLabels = (kind: string | null | undefined): string[] => {
  if (kind === 'allow_always') return ['always allow'];
  return kind?.startsWith('reject') ? ['reject', 'deny'] : [];
};

function choiceIn({ question }: OpenQuestion, text: string) {
  const words = text.trim().toLowerCase();
  const option = question.options.find(({ id, label, kind }) =>
    [id, label, ...usualLabels(kind)].some((each) => each.trim().toLowerCase() === words),
  );
  if (option) return { optionId: option.id, text: option.label };
  if (question.fields?.length) return undefined;
  return question.takes_text && words ? { text: text.trim() } : undefined;
}
