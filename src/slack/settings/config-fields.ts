/** The run defaults of one layer: renders the fields and reads them back. */
import type { KnownBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import {
  configValues,
  readConfigValues,
  renderConfigInputs,
} from '../configuration/config-inputs.ts';
import { putKeysBack, type SavedServers } from '../configuration/mcp-servers.ts';
import { configFields } from '../configuration/run-defaults.ts';
import { type FormState, readFormValue } from '../text/form-inputs.ts';

type BlockOf = (field: string) => string;

export const settingsPicker = 'settings:pick:';

export function renderConfigFields(
  blockId: BlockOf,
  config: AgentConfig,
  connections: readonly string[],
): KnownBlock[] {
  const actionId = (searched: string) => settingsPicker + searched;
  const values = configValues(config);
  const inputs = renderConfigInputs({
    blockId,
    actionId,
    values,
    connections,
    canBeUnset: true,
  });
  return configFields.flatMap((field) => inputs[field] ?? []);
}

/** @param saved where the fields were filled from; it has the keys that they don't show */
export function readConfigFields(
  blockId: BlockOf,
  state: FormState,
  saved: SavedServers,
): { config: AgentConfig; errors: Record<string, string> } {
  const { config, errors } = readConfigValues(
    Object.fromEntries(configFields.map((field) => [field, readFormValue(state, blockId(field))])),
  );
  const { mcp_servers: written, ...others } = config;
  const { value, error } = written ? putKeysBack(written, saved) : {};
  const problems = Object.entries({ ...errors, ...(error && { mcp_servers: error }) });
  return {
    config: { ...others, ...(value && { mcp_servers: value }) },
    errors: Object.fromEntries(problems.map(([field, problem]) => [blockId(field), problem])),
  };
}
