/** Builds blocks for Slack's Block Kit. Makes user text readable, escapes it, and fits it to Slack's limits. */
import type {
  ActionsBlock,
  Button,
  ContextBlock,
  HeaderBlock,
  InputBlock,
  KnownBlock,
  ModalView,
  PlainTextElement,
  PlainTextInput,
  SectionBlock,
} from '@slack/types';

import { readableText } from 'base/readable-text';
import { escapeText, limits, notBlank, shorten } from './escape-text.ts';

export const plain = (text: string, limit: number): PlainTextElement => ({
  type: 'plain_text',
  text: notBlank(shorten(text, limit)),
  emoji: false,
});

/**
 * Renders a section.
 * @param mrkdwn our own markup, with user text already escaped
 */
export const section = (mrkdwn: string, accessory?: Button): SectionBlock => ({
  type: 'section',
  text: { type: 'mrkdwn', text: shorten(mrkdwn, limits.text), verbatim: true },
  ...(accessory && { accessory }),
});

/** Max length of code in a section, in characters. Slack allows 3,000, including the fences. */
const fencedLimit = 2_900;

/** Renders text of an agent as code in mrkdwn. Replaces code fences in the text, which would end the code early. */
export const fenced = (text: string, limit = fencedLimit): SectionBlock => {
  const escaped = escapeText(shorten(text, limit).replaceAll('```', 'ˋˋˋ'), fencedLimit);
  return section(`\`\`\`\n${escaped}\n\`\`\``);
};

export const context = (mrkdwn: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text: shorten(mrkdwn, limits.text), verbatim: true }],
});

export const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: plain(text, limits.header),
});

export const actions = (elements: Button[]): ActionsBlock => ({ type: 'actions', elements });

type ButtonOptions = Pick<Button, 'style' | 'url' | 'value' | 'confirm'>;

export const button = (actionId: string, text: string, options: ButtonOptions = {}): Button => ({
  type: 'button',
  action_id: actionId,
  text: plain(text, limits.buttonText),
  ...options,
});

/** Returns the question that Slack asks before it sends a click. */
export const confirmation = (title: string, text: string, confirm: string, deny: string) => ({
  title: plain(title, 100),
  text: plain(text, 300),
  confirm: plain(confirm, 30),
  deny: plain(deny, 30),
});

/** Returns the question that Slack asks before an action that can't be undone. */
export const dangerConfirmation = (...words: Parameters<typeof confirmation>) => ({
  ...confirmation(...words),
  style: 'danger' as const,
});

type Modal = {
  title: string;
  callbackId?: string;
  /** Data that the view carries. Read it with `readViewMetadata`. */
  metadata?: object;
  /** Text of the submit button. Without it, the modal has no such button. */
  submit?: string;
  close?: string;
  blocks: KnownBlock[];
};

export const modal = ({ title, callbackId, metadata, blocks, ...buttons }: Modal): ModalView => ({
  type: 'modal',
  ...(callbackId && { callback_id: callbackId }),
  ...(metadata && { private_metadata: JSON.stringify(metadata) }),
  title: plain(title, 24),
  ...(buttons.submit && { submit: plain(buttons.submit, 24) }),
  close: plain(buttons.close ?? (buttons.submit ? 'Cancel' : 'Close'), 24),
  blocks,
});

export type Labeled = {
  blockId: string;
  label: string;
  hint?: string | undefined;
  optional?: boolean;
};

export const input = (labeled: Labeled, element: InputBlock['element']): InputBlock => ({
  type: 'input',
  block_id: labeled.blockId,
  label: plain(labeled.label, limits.inputLabel),
  ...(labeled.hint && { hint: plain(labeled.hint, limits.inputLabel) }),
  optional: labeled.optional ?? false,
  element,
});

type TextInputOptions = Labeled & {
  value?: string | undefined;
  placeholder?: string;
  multiline?: boolean;
  maxLength?: number;
};

/** Renders a text input. Its value arrives in `state.values[blockId].value.value`. */
export function textInput(options: TextInputOptions): InputBlock {
  const maxLength = options.maxLength ?? limits.inputValue;
  const value = readableText([...(options.value ?? '')].slice(0, maxLength).join(''));
  const element: PlainTextInput = {
    type: 'plain_text_input',
    action_id: 'value',
    max_length: maxLength,
    multiline: options.multiline ?? false,
    ...(value && { initial_value: value }),
    ...(options.placeholder && { placeholder: plain(options.placeholder, 150) }),
  };
  return input(options, element);
}
