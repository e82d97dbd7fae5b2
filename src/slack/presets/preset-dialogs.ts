/** The small modals that ask for a preset's name: to save or share one, and to rename one. */
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type FormState, readFormValue, selectInput } from '../configuration/form-inputs.ts';
import { type PresetName, presetNameLimit, scopeChoices } from '../configuration/presets.ts';
import type { Scope } from '../configuration/run-defaults.ts';
import { isReplacing, replaceInput } from '../configuration/save-preset.ts';
import { readViewMetadata } from '../connection/view-metadata.ts';
import { escapeText, plain, section, textInput } from '../text/blocks.ts';

export const dialogIds = { save: 'presets:save', rename: 'presets:save-name' };

const scopeSchema = z.enum(['person', 'channel', 'workspace']);

/** What is saved: the configuration of a request, or a preset, which is copied or renamed. */
const subjectSchema = z.object({
  channelId: z.string(),
  requestId: z.string().optional(),
  preset: z.object({ name: z.string(), scope: scopeSchema }).optional(),
});
export type DialogSubject = z.infer<typeof subjectSchema>;

export function renderSaveDialog(subject: DialogSubject, values: string): ModalView {
  const { preset, channelId } = subject;
  // A copy goes somewhere else.
  const choices = scopeChoices(channelId).filter(({ value }) => value !== preset?.scope);
  const value = preset ? (channelId ? 'channel' : 'workspace') : 'person';
  return {
    ...dialog(subject, preset ? 'Share a preset' : 'Save as preset'),
    callback_id: dialogIds.save,
    blocks: [
      section(`This configuration, without a prompt:\n${escapeText(values, 1_000)}`),
      nameInput(preset?.name),
      selectInput({ blockId: 'save_for', label: 'Who may use it', choices, value }),
      replaceInput('save_over'),
    ],
  };
}

export function renderRenameDialog(subject: DialogSubject & { preset: PresetName }): ModalView {
  return {
    ...dialog(subject, 'Rename a preset'),
    callback_id: dialogIds.rename,
    blocks: [nameInput(subject.preset.name)],
  };
}

function dialog(subject: DialogSubject, title: string) {
  return {
    type: 'modal' as const,
    private_metadata: JSON.stringify(subject),
    title: plain(title, 24),
    submit: plain('Save', 24),
    close: plain('Back', 24),
  };
}

const nameInput = (name: string | undefined) =>
  textInput({
    blockId: 'save_as',
    label: 'Name',
    value: name,
    maxLength: presetNameLimit,
    hint: 'Used as /agent preset=name, with quotes round spaces.',
  });

/** Undefined for a name of nothing but spaces. */
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

/** Takes the place of the dialog, where nothing below it shows that it is done. */
export function renderSaved({ name, scope }: PresetName): ModalView {
  const whose: Record<Scope, string> = {
    person: 'for you',
    channel: 'for this channel',
    workspace: 'for the workspace',
  };
  const quoted = /[\s"]/.test(name) ? `"${name.replaceAll('"', '\\"')}"` : name;
  const command = escapeText(`/agent preset=${quoted} …`.replaceAll('`', 'ˋ'), 300);
  return {
    type: 'modal',
    title: plain('Saved', 24),
    close: plain('Close', 24),
    blocks: [
      section(
        `✅ *${escapeText(name, 80)}* is saved ${whose[scope]}. Use it with \`${command}\`, or pick it in the form.`,
      ),
    ],
  };
}
