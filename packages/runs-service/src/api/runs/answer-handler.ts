import { type AnswerRequest, answerRequestSchema, type Question } from 'runs-client/contract';
import {
  type FieldValues,
  fieldProblem,
  type QuestionField,
  readFieldValue,
  valuesInWords,
} from 'runs-client/question-fields';
import type { RunQuestions, StoredQuestion } from '../../store/run-questions.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { answeredElsewhere, assertCanDecide } from './spend-rights.ts';

type Answer = { option_id: string } | { text: string } | { values: FieldValues };

/** Creates the handler that accepts people's answers to questions. `who` is the person's name for the timeline. */
export function createAnswerHandler(questions: RunQuestions) {
  async function save(
    { run_id: runId, question_id: id, question_json: json }: StoredQuestion,
    answer: Answer,
    who: string,
    key: string | null,
  ): Promise<boolean> {
    const label = labelOf(JSON.parse(json), answer);
    const note = `${who} answered: ${label}`;
    return questions.answer(runId, id, { answerJson: JSON.stringify(answer), note, key });
  }

  async function use(
    open: StoredQuestion,
    sent: Omit<AnswerRequest, 'question_id'>,
    who: string,
    key: string | null,
  ): Promise<void> {
    const parsed = readAnswer(JSON.parse(open.question_json), sent);
    if (!(await save(open, parsed, who, key))) throw isClosed;
  }

  return {
    /**
     * Answers a question.
     * @throws ApiProblem if this answer can't be used
     */
    async answer(
      run: Pick<StoredRun, 'id' | 'key_uid'>,
      caller: KeyOwner,
      body: unknown,
      key: string | null,
    ): Promise<void> {
      const { question_id: id, ...answer } = readBody(answerRequestSchema, body);
      if (key !== null && (await questions.hasAnswer(run.id, key))) return;
      const open = await questions.open(run.id);
      if (open?.question_id !== id) throw isClosed;
      if (open.spend_json !== null) assertCanDecide(caller, run, open.spend_json);
      await use(open, answer, caller.creator.display_name, key);
    },

    /**
     * Answers the open question with a form from a web page. The form's inputs are named by the positions of the
     * question's fields.
     * @throws ApiProblem if this answer can't be used
     */
    async answerByForm(runId: string, who: string, form: PageForm): Promise<void> {
      const open = await questions.open(runId);
      if (open && open.spend_json !== null) throw answeredElsewhere;
      const { fields = [] }: Partial<Question> = open ? JSON.parse(open.question_json) : {};
      const body = fields && fields.length > 0 ? readPageForm(fields, form) : form;
      const { question_id: id, ...answer } = readBody(answerRequestSchema, body);
      if (open?.question_id !== id) throw isClosed;
      await use(open, answer, who, null);
    },

    /**
     * Answers the agent's open question with a message. The message has to be an option's ID or label, unless the
     * question accepts text. Returns true if the message was used.
     */
    async answerByMessage(
      runId: string,
      who: string,
      message: string,
      key: string | null,
    ): Promise<boolean> {
      if (key !== null && (await questions.hasAnswer(runId, key))) return true;
      const open = await questions.open(runId);
      const question: Question | undefined = open && JSON.parse(open.question_json);
      // A message doesn't say that its sender can allow more spending.
      if (!open || !question || open.spend_json !== null) return false;
      const typed = message.trim().toLowerCase();
      const option = question.options.find(({ id, label }) =>
        [id, label].some((each) => each.toLowerCase() === typed),
      );
      if (!option && (!question.takes_text || question.fields?.length)) return false;
      const answer = option ? { option_id: option.id } : { text: message };
      return save(open, answer, who, key);
    },
  };
}
export type AnswerHandler = ReturnType<typeof createAnswerHandler>;

/** Form that a browser sent. An input that accepts several choices has several values. */
type PageForm = Readonly<Record<string, string | File | (string | File)[]>>;

export const fieldPrefix = 'field:';

function readPageForm(fields: QuestionField[], form: PageForm) {
  const values = fields.flatMap((field, index) => {
    const sent = [form[fieldPrefix + index] ?? []].flat();
    const texts = sent.filter((each) => typeof each === 'string');
    const read = readFieldValue(field, texts);
    if ('problem' in read)
      throw new ApiProblem('invalid_request', `${field.label}: ${read.problem}`);
    return read.value === undefined ? [] : [[field.name, read.value] as const];
  });
  return { question_id: form['question_id'], values: Object.fromEntries(values) };
}

const isClosed = new ApiProblem(
  'question_closed',
  'This question was answered or has expired. Get the run to see its state.',
);

/**
 * Reads the answer to a question from a request.
 * @throws ApiProblem if the question doesn't allow this answer
 */
function readAnswer(question: Question, sent: Omit<AnswerRequest, 'question_id'>): Answer {
  const { option_id: optionId, text, values } = sent;
  const { fields } = question;
  if (fields && fields.length > 0) return readValues(fields, values);
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

/**
 * Reads the values for a question's fields.
 * @throws ApiProblem if the fields don't accept these values
 */
function readValues(fields: QuestionField[], values: FieldValues | undefined): Answer {
  if (values === undefined)
    throw new ApiProblem('invalid_request', 'Send values for the fields of the question.');
  const known = new Set(fields.map(({ name }) => name));
  const problems = [
    ...Object.keys(values).flatMap((name) => (known.has(name) ? [] : [`${name}: unknown field`])),
    ...fields.flatMap((field) => {
      const problem = fieldProblem(field, values[field.name]);
      return problem === undefined ? [] : [`${field.name}: ${problem}`];
    }),
  ];
  if (problems.length > 0) throw new ApiProblem('invalid_request', problems.join(' '));
  return { values };
}

function labelOf({ options, fields }: Question, answer: Answer): string | undefined {
  if ('values' in answer) return valuesInWords(fields ?? [], answer.values).slice(0, 200);
  if ('text' in answer) return answer.text.slice(0, 200);
  return options.find(({ id }) => id === answer.option_id)?.label;
}
