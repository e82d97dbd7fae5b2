/** The run defaults of one layer: renders the fields and reads them back. */
import type { KnownBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import type { SearchedField } from '../configuration/config-search.ts';
import { type FormState, readFormValue, searchInput } from '../configuration/form-inputs.ts';
import { readMcpServers } from '../configuration/mcp-servers.ts';
import { isSkillSpec, skillSpecProblem } from '../configuration/skill-spec.ts';
import {
  putKeysBack,
  type SavedServers,
  serversHint,
  writeMcpServers,
} from '../secrets/mcp-keys.ts';
import { textInput } from '../text/blocks.ts';

type BlockOf = (field: string) => string;

export const settingsPicker = 'settings:pick:';

const idLimit = 255;
const textFields = ['environment_id', 'model_id', 'skill_spec', 'name', 'base_prompt'] as const;

export function renderConfigFields(block: BlockOf, config: AgentConfig): KnownBlock[] {
  const servers = writeMcpServers(config.mcp_servers);
  const picker = (field: 'environment_id' | 'model_id' | 'skill_spec', label: string) =>
    renderPicker(block(field), label, config[field]);
  return [
    picker('environment_id', 'Environment'),
    picker('model_id', 'Model'),
    picker('skill_spec', 'Skill'),
    textInput({
      blockId: block('name'),
      label: 'Configuration name',
      value: config.name,
      optional: true,
      maxLength: idLimit,
    }),
    textInput({
      blockId: block('base_prompt'),
      label: 'Base prompt',
      value: config.base_prompt,
      optional: true,
      multiline: true,
    }),
    textInput({
      blockId: block('mcp_servers'),
      label: 'MCP servers',
      value: servers,
      optional: true,
      multiline: true,
      hint: serversHint(servers),
    }),
  ];
}

function renderPicker(blockId: string, label: string, id: string | undefined): KnownBlock {
  return searchInput({
    blockId,
    actionId: `${settingsPicker}${label.toLowerCase()}`,
    label,
    placeholder: 'Search or type an ID',
    value: id ? { id } : undefined,
  });
}

export const readPickerAction = (actionId: string): SearchedField | undefined =>
  (['environment', 'model', 'skill'] as const).find(
    (field) => actionId === `${settingsPicker}${field}`,
  );

/** @param saved where the fields were filled from; it has the keys that they don't show */
export function readConfigFields(
  block: BlockOf,
  state: FormState,
  saved: SavedServers,
): { config: AgentConfig; errors: Record<string, string> } {
  const text = (field: string) => readFormValue(state, block(field)) || undefined;
  const errors: Record<string, string> = {};
  const skill = text('skill_spec');
  if (skill && !isSkillSpec(skill)) errors[block('skill_spec')] = skillSpecProblem;
  const written = readMcpServers(text('mcp_servers') ?? '');
  const servers = written.value ? putKeysBack(written.value, saved) : written;
  if (servers.error) errors[block('mcp_servers')] = servers.error;
  const texts = Object.fromEntries(
    textFields.flatMap((field) => {
      const value = text(field);
      return value ? [[field, value]] : [];
    }),
  );
  return { config: { ...texts, ...(servers.value && { mcp_servers: servers.value }) }, errors };
}
