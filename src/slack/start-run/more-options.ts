/** The part of the form that *More options* opens. */
import type { KnownBlock } from '@slack/types';
import { renderConfigInputs } from '../configuration/config-inputs.ts';
import { presetNameLimit, scopeChoices } from '../configuration/presets.ts';
import { replaceInput } from '../configuration/save-preset.ts';
import { textInput } from '../text/blocks.ts';
import { searchInput, selectInput } from '../text/form-inputs.ts';
import { type FormContent, formIds } from './form-content.ts';

export function renderMoreOptions(content: FormContent): KnownBlock[] {
  const { values, metadata } = content;
  const { environment_id: _, connection: __, ...inputs } = formConfigInputs(content);
  return [
    renderPreset(content),
    ...Object.values(inputs),
    textInput({
      blockId: 'save_as',
      label: 'Save as preset',
      value: values.save_as,
      optional: true,
      maxLength: presetNameLimit,
      hint: 'Enter a name to save this configuration, without the prompt.',
    }),
    selectInput({
      blockId: 'save_for',
      label: 'Preset available to',
      choices: scopeChoices(metadata.channelId),
      value: values.save_for || 'person',
    }),
    replaceInput('save_over', values.save_over),
  ];
}

/** Block ids are the names of the fields. */
export const formConfigInputs = ({ values, names, metadata, environmentWarning }: FormContent) =>
  renderConfigInputs({
    values,
    names,
    environmentWarning,
    connections: metadata.connections,
    blockId: (field) => field,
    actionId: (searched) => formIds[searched],
  });

function renderPreset({ values: { preset: id }, names }: FormContent): KnownBlock {
  return searchInput({
    blockId: 'preset',
    actionId: formIds.preset,
    label: 'Preset',
    placeholder: 'Search presets',
    value: id ? { id, name: names?.get(id) } : undefined,
    hint: "Fills the fields that you don't change.",
  });
}
