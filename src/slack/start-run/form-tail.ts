/** The part of the form that *More options* opens. */
import type { KnownBlock } from '@slack/types';
import { searchInput, selectInput } from '../configuration/form-inputs.ts';
import { presetNameLimit, scopeChoices } from '../configuration/presets.ts';
import { replaceInput } from '../configuration/save-preset.ts';
import { serversHint } from '../secrets/mcp-keys.ts';
import { textInput } from '../text/blocks.ts';
import { type FormContent, formIds } from './form-content.ts';

const idLimit = 255;

export function renderTail(content: FormContent): KnownBlock[] {
  const { values, metadata } = content;
  return [
    picker(content, 'preset', {
      label: 'Preset',
      actionId: formIds.preset,
      hint: "Fills the fields that you don't change.",
    }),
    picker(content, 'model_id', { label: 'Model', actionId: formIds.model }),
    picker(content, 'skill_spec', {
      label: 'Skill',
      actionId: formIds.skill,
      hint: 'Used as the base prompt. Format: owner/repo:skill-name or owner/repo:path/to/SKILL.md.',
    }),
    textInput({
      blockId: 'name',
      label: 'Configuration name',
      value: values.name,
      optional: true,
      maxLength: idLimit,
      hint: 'Groups runs. You can filter by this name.',
    }),
    textInput({
      blockId: 'base_prompt',
      label: 'Base prompt',
      value: values.base_prompt,
      optional: true,
      multiline: true,
      hint: 'Instructions for how the agent behaves.',
    }),
    textInput({
      blockId: 'mcp_servers',
      label: 'MCP servers',
      value: values.mcp_servers,
      optional: true,
      multiline: true,
      hint: serversHint(values.mcp_servers),
    }),
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

type PickedField = 'environment_id' | 'model_id' | 'skill_spec' | 'preset';

export function picker(
  { values, names }: FormContent,
  blockId: PickedField,
  { label, actionId, hint }: { label: string; actionId: string; hint?: string },
): KnownBlock {
  const id = values[blockId];
  const value = id ? { id, name: names?.get(id) } : undefined;
  const placeholder = blockId === 'preset' ? 'Search presets' : 'Search or type an ID';
  return searchInput({ blockId, actionId, label, placeholder, value, ...(hint && { hint }) });
}
