/** Renders the list of presets and the dialog that saves one, and reads them back. */
import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Scope, scopeSchema } from '../../store/people/settings.ts';
import {
  isSameName,
  type Preset,
  type PresetName,
  presetNameLimit,
  presetReference,
  readPresetReference,
  scopeChoices,
} from '../configuration/presets.ts';
import { describeConfig } from '../configuration/run-defaults.ts';
import { isReplacing, replaceInput } from '../configuration/save-preset.ts';
import { readViewMetadata } from '../posting/modals.ts';
import {
  actions,
  button,
  context,
  dangerConfirmation,
  modal,
  section,
  textInput,
} from '../text/blocks.ts';
import { code, escapeText, shorten } from '../text/escape-text.ts';
import { type FormState, readFormValue, selectInput } from '../text/form-inputs.ts';

export const presetIds = {
  share: 'presets:share',
  remove: 'presets:remove',
  previous: 'presets:previous',
  next: 'presets:next',
};

/** Position in the list of presets. `page` starts at 0. */
const positionSchema = z.object({ channelId: z.string(), page: z.number().default(0) });
type PresetsPosition = z.infer<typeof positionSchema>;

const owned: Record<Scope, string> = {
  person: 'yours',
  channel: 'this channel',
  workspace: 'workspace',
};

const usedInstead: Record<Scope, string> = {
  person: 'Your own preset',
  channel: 'The channel preset',
  workspace: 'The workspace preset',
};

/** Max presets on a page. Each needs two of the 100 blocks that Slack allows in a view. */
const perPage = 40;

export function renderPresets(presets: readonly Preset[], place: PresetsPosition): ModalView {
  const last = Math.max(0, Math.ceil(presets.length / perPage) - 1);
  const page = Math.min(Math.max(0, place.page), last);
  const shown = presets.slice(page * perPage, (page + 1) * perPage);
  const turns = [
    ...(page > 0 ? [button(presetIds.previous, '← Previous')] : []),
    ...(page < last ? [button(presetIds.next, 'Next →')] : []),
  ];
  return modal({
    metadata: { ...place, page },
    title: 'Presets',
    blocks: [
      context(presets.length === 0 ? howToSave : howToUse),
      ...shown.flatMap((preset) => renderPreset(preset, presets)),
      ...(last > 0 ? [context(`Page ${page + 1} of ${last + 1}.`), actions(turns)] : []),
    ],
  });
}

const howToSave =
  "No presets yet. To save one, type `/agent`, select *More options* and fill in *Save as preset*. You can also save a run's configuration from its *Details*.";
const howToUse =
  "Type `/agent preset=name …`, or choose a preset in the form. If several presets have the same name, `preset=` uses yours first, then the channel's, then the workspace's.";

function renderPreset(preset: Preset, all: readonly Preset[]): KnownBlock[] {
  const { name, scope, makerId, config } = preset;
  const maker = makerId && scope !== 'person' ? `, by <@${makerId}>` : '';
  const nearest = all.find((each) => isSameName(each.name, name));
  const isHidden = nearest !== undefined && nearest.scope !== scope;
  const hidden = isHidden
    ? `\n${usedInstead[nearest.scope]} has the same name, so ${code(typedPreset(name), 300)} uses that one.`
    : '';
  const values = escapeText(describeConfig(config), 1_000);
  return [
    section(`*${escapeText(name, 80)}* (${owned[scope]}${maker})\n${values}${hidden}`),
    actions(renderButtons(preset)),
  ];
}

/** Returns what to type to use a preset. */
const typedPreset = (name: string) =>
  `preset=${/[\s"]/.test(name) ? `"${name.replaceAll('"', '\\"')}"` : name}`;

function renderButtons(preset: Preset): Button[] {
  const value = presetReference(preset);
  const name = shorten(preset.name, 60);
  return [
    ...(preset.scope === 'workspace' ? [] : [button(presetIds.share, 'Share', { value })]),
    button(presetIds.remove, 'Delete', {
      value,
      style: 'danger',
      confirm: dangerConfirmation(
        'Delete this preset?',
        `The preset "${name}" (${owned[preset.scope]}) will be deleted. Runs that used it aren't affected.`,
        'Delete',
        'Keep preset',
      ),
    }),
  ];
}

/**
 * Reads the preset of a button.
 * @throws if the value isn't from one of our buttons
 */
export function readPresetButton(value: string | undefined): PresetName {
  const preset = readPresetReference(value ?? '');
  if (!preset) throw new Error('a preset button has no preset');
  return preset;
}

export const readPresetsPosition = (view: { private_metadata: string }): PresetsPosition =>
  readViewMetadata(positionSchema, view);

export const saveDialogId = 'presets:save';

/** Request or preset whose configuration is saved. Exactly one of them is set. */
const subjectSchema = z.object({
  channelId: z.string(),
  requestId: z.string().optional(),
  /** Page number of the list below the dialog. */
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

/** Reads the dialog. A blank name is undefined. */
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

/** Renders the confirmation, for dialogs without a list of presets below them. */
export function renderSaved({ name, scope }: PresetName): ModalView {
  const savedFor: Record<Scope, string> = {
    person: 'for you',
    channel: 'for this channel',
    workspace: 'for the workspace',
  };
  const command = code(`/agent ${typedPreset(name)} …`, 300);
  return modal({
    title: 'Saved',
    blocks: [
      section(
        `✅ Saved *${escapeText(name, 80)}* ${savedFor[scope]}. Type ${command}, or choose it in the form.`,
      ),
    ],
  });
}
