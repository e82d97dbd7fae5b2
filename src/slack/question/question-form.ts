/** The form of a question: all of it, what the agent wants to do, and the answer. Renders it and reads it back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { isLonger } from 'base/shorten';
import type { Question } from 'runs-client/contract';
import { z } from 'zod';
import { readViewMetadata } from '../posting/modals.ts';
import { context, modal, section, textInput } from '../text/blocks.ts';
import { type FormState, optionLimits, readFormValue, selectInput } from '../text/form-inputs.ts';
import { codeBlocks, plainTexts } from '../text/rich-text.ts';
import { fieldInput, fieldsOf, type ReadForm, readFields } from './question-fields.ts';
import { questionActions } from './question-ids.ts';

const metadataSchema = z.object({ postId: z.string(), conversationId: z.string().optional() });
/** `conversationId`: where the form was opened, which the person is in. */
export type FormSubject = z.infer<typeof metadataSchema>;

export const readSubject = (view: { private_metadata: string }): FormSubject =>
  readViewMetadata(metadataSchema, view);

/** A view takes 250 KB. This is enough for what the embedded runs service shows. */
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
    blocks: [...renderRequested(question), ...inputs],
  });
}

/** @param words why there is nothing to answer, as mrkdwn */
export const renderToRead = (question: Question, words: string): ModalView =>
  modal({ title: 'Question', blocks: [...renderRequested(question), section(words)] });

function renderRequested(question: Question): KnownBlock[] {
  const { text, details, options } = question;
  const inFields = fieldsOf(question).flatMap((field) => field.options ?? []);
  const long = [...options, ...inFields].filter(({ label }) => isLonger(label, optionLimits.text));
  return [
    ...(text.trim() ? plainTexts(text, textPieces) : []),
    ...(details ? codeBlocks(details, detailsPieces) : []),
    ...(long.length > 0
      ? plainTexts(long.map(({ label }) => label).join('\n\n'), labelPieces)
      : []),
    ...(text.trim() || details ? [] : [context('The agent waits for an answer.')]),
  ];
}

export function readForm(state: FormState, question: Question): ReadForm {
  if (fieldsOf(question).length > 0) return readFields(state, question);
  const picked = readFormValue(state, 'option');
  const text = readFormValue(state, 'text') ?? '';
  const option = picked && picked !== none ? choicesOf(question)[Number(picked)] : undefined;
  if (option && text) return { errors: { text: 'Choose an answer or write one, not both.' } };
  if (option) return { chosen: { optionId: option.id, text: option.label } };
  if (text) return { chosen: { text } };
  const field = question.takes_text ? 'text' : 'option';
  return { errors: { [field]: 'Enter an answer.' } };
}
