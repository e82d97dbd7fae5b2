/** Renders the configuration's inputs in the start form and in settings, and reads them back. */
import type { InputBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import { operatorConnection } from '../../requests/connection.ts';
import { textInput } from '../text/blocks.ts';
import { capitalize, shorten } from '../text/escape-text.ts';
import { fitsOption, idLimit, longIdInput, searchInput, selectInput } from '../text/form-inputs.ts';
import type { SearchedField } from './config-search.ts';
import { readMcpServers, serversHint, writeMcpServers } from './mcp-servers.ts';
import { connectionNameOf } from './run-connections.ts';
import {
  type ConfigField,
  configFields,
  type DefaultValue,
  fieldLabels,
  isSkillSpec,
  skillSpecProblem,
} from './run-defaults.ts';

type ConfigValues = Partial<Record<ConfigField, string>>;

export const configValues = (config: AgentConfig): ConfigValues => ({
  connection: connectionNameOf(config) ?? '',
  environment_id: config.environment_id ?? '',
  model_id: config.model_id ?? '',
  skill_spec: config.skill_spec ?? '',
  name: config.name ?? '',
  base_prompt: config.base_prompt ?? '',
  mcp_servers: writeMcpServers(config.mcp_servers),
});

type ConfigInputs = {
  values: ConfigValues;
  /** Names of the connections to offer, if there are several. */
  connections?: readonly string[] | undefined;
  /** True in settings, where a field can stay empty to leave the choice to other settings. */
  canBeUnset?: boolean;
  /** Names to show for IDs. */
  names?: ReadonlyMap<string, string> | undefined;
  /** Warning about the chosen environment. */
  environmentWarning?: string | undefined;
  defaultEnvironment?: DefaultValue | undefined;
  blockId(field: ConfigField): string;
  actionId(searched: SearchedField): string;
};

type RenderedInputs = Record<Exclude<ConfigField, 'connection'>, InputBlock> & {
  connection?: InputBlock;
};

export function renderConfigInputs(inputs: ConfigInputs): RenderedInputs {
  const { values, blockId } = inputs;
  const shared = (field: ConfigField) => ({
    blockId: blockId(field),
    label: fieldLabels[field],
    value: values[field],
    optional: true,
  });
  return {
    ...renderConnection(inputs),
    environment_id: renderPicker(inputs, 'environment', {
      field: 'environment_id',
      hint: environmentHint(inputs),
    }),
    model_id: renderPicker(inputs, 'model', { field: 'model_id' }),
    skill_spec: renderPicker(inputs, 'skill', {
      field: 'skill_spec',
      hint: 'Skill text comes before the base prompt. Format: owner/repo:skill-name or owner/repo:path/to/SKILL.md.',
    }),
    name: textInput({
      ...shared('name'),
      maxLength: idLimit,
      hint: 'You can filter runs by group in the Home tab.',
    }),
    base_prompt: textInput({
      ...shared('base_prompt'),
      multiline: true,
      hint: 'Instructions for how the agent behaves.',
    }),
    mcp_servers: textInput({
      ...shared('mcp_servers'),
      multiline: true,
      hint: serversHint(values.mcp_servers),
    }),
  };
}

function environmentHint(inputs: ConfigInputs): string {
  const { environmentWarning: warning, defaultEnvironment: usual, names, canBeUnset } = inputs;
  if (warning) return `⚠️ ${warning}`;
  if (!usual) return 'Where the agent works. If empty, the runs service chooses.';
  const { id, origin } = usual;
  const name = shorten(names?.get(id) ?? id, 60);
  const source = shorten(origin, 60);
  // Explain an empty field only in the start form, where the runs service then chooses. In settings, an empty field
  // keeps the default.
  return canBeUnset
    ? `Default: ${name} (${source})`
    : `${capitalize(source)}: ${name}. To let the runs service choose, clear this field.`;
}

/** Value of the option "Not set", because Slack requires one. No connection has this name. */
const unset = '-';

function renderConnection({ values, connections = [], canBeUnset, blockId }: ConfigInputs) {
  const selected = values.connection || (canBeUnset ? unset : operatorConnection);
  const names = [...new Set([...connections, ...(selected === unset ? [] : [selected])])];
  // Always show a chosen connection, because a hidden field would lose it.
  if (names.length < 2 && !values.connection) return {};
  const shown = {
    blockId: blockId('connection'),
    label: fieldLabels.connection,
    hint: 'The runs service that runs are on. It has its own environments.',
  };
  if (!fitsOption(selected)) return { connection: longIdInput({ ...shown, id: selected }) };
  const listed = names.map((name) => ({ value: name, text: name }));
  const choices = [...(canBeUnset ? [{ value: unset, text: 'Not set' }] : []), ...listed];
  return { connection: selectInput({ ...shown, choices, value: selected }) };
}

function renderPicker(
  { values, names, blockId, actionId }: ConfigInputs,
  searched: SearchedField,
  { field, hint }: { field: ConfigField; hint?: string },
): InputBlock {
  const id = values[field];
  return searchInput({
    blockId: blockId(field),
    actionId: actionId(searched),
    label: fieldLabels[field],
    placeholder: 'Search or type an ID',
    value: id ? { id, name: names?.get(id) } : undefined,
    ...(hint && { hint }),
  });
}

type ReadConfig = {
  /**
   * Configuration from the inputs. Empty and invalid values are undefined. Inputs that aren't in the form have no key.
   */
  config: AgentConfig;
  errors: Partial<Record<ConfigField, string>>;
};

export function readConfigValues(values: ConfigValues): ReadConfig {
  const config: AgentConfig = {};
  const errors: ReadConfig['errors'] = {};
  for (const field of configFields) {
    if (field in values) Object.assign(config, { [field]: values[field] || undefined });
  }
  if (values.connection === unset) config['connection'] = undefined;
  if (values.skill_spec && !isSkillSpec(values.skill_spec)) errors.skill_spec = skillSpecProblem;
  if (values.mcp_servers !== undefined) {
    const { value, error } = readMcpServers(values.mcp_servers);
    if (error) errors.mcp_servers = error;
    Object.assign(config, { mcp_servers: value });
  }
  return { config, errors };
}
