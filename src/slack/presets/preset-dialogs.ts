/** The modal that asks for a preset's name, to save or share it. */

import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type Scope, scopeSchema } from '../../store/people/settings.ts';
import { type PresetName, presetNameLimit, scopeChoices } from '../configuration/presets.ts';
import { isReplacing, replaceInput } from '../configuration/save-preset.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { modal, section, textInput } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { type FormState, readFormValue, selectInput } from '../text/form-inputs.ts';

export const saveDialogId = 'presets:save';

/** Save the configuration of a request, or copy a preset. */
const subjectSchema = z.object({
  channelId: z.string(),
  requestId: z.string().optional(),
  /** Of the list below. */
  page: z.number().optional(),
  preset: z.object({ name: z.string(), scope: scopeSchema }).optional(),
});
export type DialogSubject = z.infer<typeof subjectSchema>;

export function renderSaveDialog(subject: DialogSubject, values: string): ModalView {
  const { preset, channelId } = subject;
  const choices = scopeChoices(channelId).filter(({ value }) => value !== preset?.scope);
  const value = preset ? (channelId ? 'channel' : 'workspace') : 'person';
  return modal({
    callbackId: saveDialogId,
    metadata: subject,
    title: preset ? 'Share preset' : 'Save as preset',
    submit: 'Save',
    close: 'Back',
    blocks: [
      section(`Configuration, without the prompt:\n${escapeText(values, 1_000)}`),
      nameInput(preset?.name),
      selectInput({ blockId: 'save_for', label: 'Available to', choices, value }),
      replaceInput('save_over'),
    ],
  });
}

const nameInput = (name: string | undefined) =>
  textInput({
    blockId: 'save_as',
    label: 'Name',
    value: name,
    maxLength: presetNameLimit,
    hint: 'Use it with /agent preset=name. Put quotes around a name with spaces.',
  });

/** `name` is undefined if it's blank. */
export function readDialog(view: { private_metadata: string; state: FormState }): {
  subject: DialogSubject;
  name: string | undefined;
  scope: Scope;
  replaces: boolean;
} {
  const subject = readViewMetadata(subjectSchema, view);
  const scope = scopeSchema.catch('person').parse(readFormValue(view.state, 'save_for'));
  const replaces = isReplacing(readFormValue(view.state, 'save_over'));
  return { subject, name: readFormValue(view.state, 'save_as') || undefined, scope, replaces };
}

/** Replaces the dialog if the view below it doesn't show the new preset. */
export function renderSaved({ name, scope }: PresetName): ModalView {
  const savedFor: Record<Scope, string> = {
    person: 'for you',
    channel: 'for this channel',
    workspace: 'for the workspace',
  };
  const quoted = /[\s"]/.test(name) ? `"${name.replaceAll('"', '\\"')}"` : name;
  const command = escapeText(`/agent preset=${quoted} …`.replaceAll('`', 'ˋ'), 300);
  return modal({
    title: 'Saved',
    blocks: [
      section(
        `✅ Saved *${escapeText(name, 80)}* ${savedFor[scope]}. Type \`${command}\`, or choose it in the form.`,
      ),
    ],
  });
}
