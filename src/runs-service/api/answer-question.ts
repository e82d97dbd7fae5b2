import { answerRequestSchema, type Question } from 'runs-client/contract';
import type {
  ServiceRunQuestions,
  StoredQuestion,
} from '../../store/service/service-run-questions.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';

type Answer = { option_id: string } | { text: string };

/** Takes the answers to questions of agents. `who` is a name for the timeline. */
export function createQuestionDesk(questions: ServiceRunQuestions) {
  async function give(
    { run_id: runId, question_id: id, question_json: json }: StoredQuestion,
    answer: Answer,
    who: string,
    key: string | null,
  ): Promise<boolean> {
    const label = labelOf(JSON.parse(json), answer);
    const note = `${who} answered: ${label}`;
    return questions.answer(runId, id, { answerJson: JSON.stringify(answer), note, key });
  }

  return {
    /** @throws ApiProblem unless this is the answer that counts */
    async answer(runId: string, who: string, body: unknown, key: string | null): Promise<void> {
      const { question_id: id, ...answer } = readBody(answerRequestSchema, body);
      if (key !== null && (await questions.hasAnswer(runId, key))) return;
      const open = await questions.open(runId);
      if (open?.question_id !== id) throw isClosed;
      const given = readAnswer(JSON.parse(open.question_json), answer);
      if (!(await give(open, given, who, key))) throw isClosed;
    },

    /** Whether a message answers the open question: it is an option's id or label, or the question takes text. */
    async answerByMessage(
      runId: string,
      who: string,
      message: string,
      key: string | null,
    ): Promise<boolean> {
      if (key !== null && (await questions.hasAnswer(runId, key))) return true;
      const open = await questions.open(runId);
      const question: Question | undefined = open && JSON.parse(open.question_json);
      if (!open || !question) return false;
      const words = message.trim().toLowerCase();
      const option = question.options.find(({ id, label }) =>
        [id, label].some((each) => each.toLowerCase() === words),
      );
      if (!option && !question.takes_text) return false;
      const answer = option ? { option_id: option.id } : { text: message };
      return give(open, answer, who, key);
    },
  };
}
export type QuestionDesk = ReturnType<typeof createQuestionDesk>;

const isClosed = new ApiProblem(
  'question_closed',
  'This question was answered or has expired. Get the run to see its state.',
);

/** @throws ApiProblem if the question doesn't allow this answer */
function readAnswer(
  question: Question,
  given: { option_id?: string | undefined; text?: string | undefined },
): Answer {
  const { option_id: optionId, text } = given;
  if (optionId !== undefined && text === undefined) {
    if (question.options.some(({ id }) => id === optionId)) return { option_id: optionId };
    const ids = question.options.map(({ id }) => id).join(', ');
    throw new ApiProblem('invalid_request', `option_id: must be one of ${ids || '(none)'}`);
  }
  if (text !== undefined && optionId === undefined && question.takes_text) return { text };
  throw new ApiProblem(
    'invalid_request',
    question.takes_text ? 'Send either option_id or text.' : 'Send option_id.',
  );
}

const labelOf = ({ options }: Question, answer: Answer) =>
  'text' in answer
    ? answer.text.slice(0, 200)
    : options.find(({ id }) => id === answer.option_id)?.label;
