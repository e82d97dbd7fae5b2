/** Renders and reads the form of a question, which has the whole question with its details. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { isLonger } from 'base/shorten';
import type { Question } from 'runs-client/contract';
import {
  type FieldValue,
  type QuestionField,
  readFieldValue,
  valuesInWords,
} from 'runs-client/question-fields';
import { z } from 'zod';
import type { GivenAnswer } from '../../requests/answer.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { context, modal, section, textInput } from '../text/blocks.ts';
import { limits } from '../text/escape-text.ts';
import {
  type FormState,
  listInput,
  optionLimits,
  readFormValue,
  selectInput,
} from '../text/form-inputs.ts';
import { codeBlocks, plainTexts } from '../text/rich-text.ts';

export const questionActions = {
  /** Prefix of the action ID. The index of the option follows. */
  option: 'question:option:',
  pick: 'question:pick',
  form: 'question:submit',
} as const;

/** Returns the request ID at the start of a post ID. */
export const requestOf = (postId: string): string => postId.split(' ')[0] ?? '';

const metadataSchema = z.object({ postId: z.string(), conversationId: z.string().optional() });
/** Question that the form is for. `conversationId` is the conversation where a member opened the form. */
type FormSubject = z.infer<typeof metadataSchema>;

export const readSubject = (view: { private_metadata: string }): FormSubject =>
  readViewMetadata(metadataSchema, view);

/** Max blocks of each text. Slack limits a view to 250 KB, and questions of the embedded runs service fit. */
const textPieces = 2;
const detailsPieces = 8;
const labelPieces = 6;
const none = 'none';

const choicesOf = ({ options }: Question) => options.slice(0, optionLimits.options - 1);

export function renderForm(subject: FormSubject, question: Question): ModalView {
  const { options, takes_text: takesText } = question;
  const choices = choicesOf(question).map(({ label }, index) => ({
    value: String(index),
    text: label,
  }));
  const unchosen = { value: none, text: takesText ? 'Other' : 'Choose an answer' };
  const inputs: KnownBlock[] = [
    ...fieldsOf(question).map(fieldInput),
    ...(options.length > 0
      ? [
          selectInput({
            blockId: 'option',
            label: 'Answer',
            value: none,
            choices: [unchosen, ...choices],
          }),
        ]
      : []),
    ...(takesText
      ? [
          textInput({
            blockId: 'text',
            label: options.length > 0 ? 'Other answer' : 'Answer',
            multiline: true,
            optional: true,
          }),
        ]
      : []),
  ];
  return modal({
    title: 'Question',
    submit: 'Send answer',
    callbackId: questionActions.form,
    metadata: subject,
    blocks: [...renderAsked(question), ...inputs],
  });
}

/**
 * Renders the question without inputs.
 * @param reason why it can't be answered, as mrkdwn
 */
export const renderToRead = (question: Question, reason: string): ModalView =>
  modal({ title: 'Question', blocks: [...renderAsked(question), section(reason)] });

function renderAsked(question: Question): KnownBlock[] {
  const { text, details, options } = question;
  const inFields = fieldsOf(question).flatMap((field) => field.options ?? []);
  const long = [...options, ...inFields].filter(({ label }) => isLonger(label, optionLimits.text));
  return [
    ...(text.trim() ? plainTexts(text, textPieces) : []),
    ...(details ? codeBlocks(details, detailsPieces) : []),
    ...(long.length > 0
      ? plainTexts(long.map(({ label }) => label).join('\n\n'), labelPieces)
      : []),
    ...(text.trim() || details ? [] : [context('The agent is waiting for an answer.')]),
  ];
}

export function readForm(state: FormState, question: Question): ReadForm {
  if (fieldsOf(question).length > 0) return readFields(state, question);
  const selected = readFormValue(state, 'option');
  const text = readFormValue(state, 'text') ?? '';
  const option = selected && selected !== none ? choicesOf(question)[Number(selected)] : undefined;
  if (option && text) return { errors: { text: 'Choose an answer or write one, not both.' } };
  if (option) return { chosen: { optionId: option.id, text: option.label } };
  if (text) return { chosen: { text } };
  const field = question.takes_text ? 'text' : 'option';
  return { errors: { [field]: 'Enter an answer.' } };
}

type ReadForm = { chosen: Omit<GivenAnswer, 'questionId'> } | { errors: Record<string, string> };

/** Max fields of a form. More would exceed the size of a view. */
const maxFields = 10;
const labelLimit = 150;
const hintLimit = 500;

/** Returns the fields of a question. There are none for a question with options or a text answer. */
export const fieldsOf = ({ fields }: Pick<Question, 'fields'>): QuestionField[] =>
  (fields ?? []).slice(0, maxFields);

const isChosen = (kind: string): boolean => ['choice', 'choices', 'boolean'].includes(kind);

const blockOf = (index: number) => `field:${index}`;

/** Returns the choices of a field. Their values are indexes, because IDs can be longer than Slack's values. */
function fieldChoices({ kind, options }: QuestionField) {
  const all =
    kind === 'boolean'
      ? [
          { id: 'true', label: 'Yes' },
          { id: 'false', label: 'No' },
        ]
      : (options ?? []);
  return all.slice(0, optionLimits.options - 1);
}

function fieldInput(field: QuestionField, index: number): InputBlock {
  const { kind, is_required: isRequired, description, maximum } = field;
  const label = [...field.label].slice(0, labelLimit).join('');
  const hint = description ? [...description].slice(0, hintLimit).join('') : undefined;
  const about = { blockId: blockOf(index), label, ...(hint && { hint }) };
  const choices = fieldChoices(field).map((each, at) => ({ value: String(at), text: each.label }));
  // Skip a list without choices, because Slack rejects it.
  if (kind === 'choices' && choices.length > 0) return listInput({ ...about, choices });
  if (isChosen(kind)) {
    const unchosen = { value: none, text: isRequired ? 'Choose an answer' : 'No answer' };
    return selectInput({ ...about, value: none, choices: [unchosen, ...choices] });
  }
  const isText = kind === 'text';
  const most = isText && maximum ? Math.min(maximum, limits.inputValue) : limits.inputValue;
  const maxLength = Math.max(1, Math.floor(most));
  return textInput({
    ...about,
    maxLength,
    multiline: isText && maxLength > labelLimit,
    optional: !isRequired,
  });
}

function readFields(state: FormState, question: Question): ReadForm {
  const fields = fieldsOf(question);
  const errors: [blockId: string, problem: string][] = [];
  const values: [name: string, value: FieldValue][] = [];
  for (const [index, field] of fields.entries()) {
    const read = readFieldValue(field, inputOf(state, field, blockOf(index)));
    if ('problem' in read) errors.push([blockOf(index), read.problem]);
    else if (read.value !== undefined) values.push([field.name, read.value]);
  }
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  const input = Object.fromEntries(values);
  return { chosen: { values: input, text: valuesInWords(fields, input) } };
}

function inputOf(state: FormState, field: QuestionField, blockId: string): string | string[] {
  const input = readFormValue(state, blockId) ?? '';
  if (!isChosen(field.kind)) return input;
  const places = input.split(',').filter((place) => place !== '' && place !== none);
  return places.flatMap((place) => fieldChoices(field)[Number(place)]?.id ?? []);
}
