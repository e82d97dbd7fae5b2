/** The inputs of a question that is a form. Renders them and reads them back. */
import type { InputBlock } from '@slack/types';
import type { Question } from 'runs-client/contract';
import {
  type FieldValue,
  type QuestionField,
  readFieldValue,
  valuesInWords,
} from 'runs-client/question-fields';
import type { GivenAnswer } from '../../requests/answer.ts';
import { textInput } from '../text/blocks.ts';
import { limits } from '../text/escape-text.ts';
import {
  type FormState,
  listInput,
  optionLimits,
  readFormValue,
  selectInput,
} from '../text/form-inputs.ts';

export type ReadForm =
  | { chosen: Omit<GivenAnswer, 'questionId'> }
  | { errors: Record<string, string> };

/** More would be a longer view than Slack takes. */
const fieldsShown = 10;
const labelLimit = 150;
const hintLimit = 500;
const none = 'none';

/** Empty for a question with options or in words. */
export const fieldsOf = ({ fields }: Pick<Question, 'fields'>): QuestionField[] =>
  (fields ?? []).slice(0, fieldsShown);

const isChosen = (kind: string): boolean => ['choice', 'choices', 'boolean'].includes(kind);

const blockOf = (index: number) => `field:${index}`;

/** The choices of a field, each by its place: ids can be longer than Slack's values. */
function choicesOf({ kind, options }: QuestionField) {
  const all =
    kind === 'boolean'
      ? [
          { id: 'true', label: 'Yes' },
          { id: 'false', label: 'No' },
        ]
      : (options ?? []);
  return all.slice(0, optionLimits.options - 1);
}

export function fieldInput(field: QuestionField, index: number): InputBlock {
  const { kind, is_required: isRequired, description, maximum } = field;
  const label = [...field.label].slice(0, labelLimit).join('');
  const hint = description ? [...description].slice(0, hintLimit).join('') : undefined;
  const about = { blockId: blockOf(index), label, ...(hint && { hint }) };
  const choices = choicesOf(field).map((each, at) => ({ value: String(at), text: each.label }));
  // Slack refuses an empty list.
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

export function readFields(state: FormState, question: Question): ReadForm {
  const fields = fieldsOf(question);
  const errors: [blockId: string, problem: string][] = [];
  const values: [name: string, value: FieldValue][] = [];
  for (const [index, field] of fields.entries()) {
    const read = readFieldValue(field, givenIn(state, field, blockOf(index)));
    if ('problem' in read) errors.push([blockOf(index), read.problem]);
    else if (read.value !== undefined) values.push([field.name, read.value]);
  }
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  const given = Object.fromEntries(values);
  return { chosen: { values: given, text: valuesInWords(fields, given) } };
}

function givenIn(state: FormState, field: QuestionField, blockId: string): string | string[] {
  const given = readFormValue(state, blockId) ?? '';
  if (!isChosen(field.kind)) return given;
  const places = given.split(',').filter((place) => place !== '' && place !== none);
  return places.flatMap((place) => choicesOf(field)[Number(place)]?.id ?? []);
}
