/** Where the values of a run's configuration come from: layers, the later ones over the earlier. */
import { type AgentConfig, agentConfigSchema } from 'runs-client/contract';
import type { SettingOwner, Settings } from '../../store/settings.ts';
import { shorten } from '../text/blocks.ts';

export const configFields = [
  'environment_id',
  'model_id',
  'skill_spec',
  'name',
  'base_prompt',
  'mcp_servers',
] as const;
export type ConfigField = (typeof configFields)[number];

export const fieldWords: Record<ConfigField, string> = {
  environment_id: 'Environment',
  model_id: 'Model',
  skill_spec: 'Skill',
  name: 'Configuration name',
  base_prompt: 'Base prompt',
  mcp_servers: 'MCP servers',
};

/** Every value in one line, for people: names and shapes, never what an MCP server carries. */
export function describeConfig(config: AgentConfig): string {
  const said = configFields.flatMap((field) => {
    const value = config[field];
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : Object.keys(value).join(', ');
    return [`${fieldWords[field]} ${shorten(text.replace(/\s+/g, ' ').trim(), 60)}`];
  });
  return said.join(' · ') || 'no values';
}

/** `origin` is said to people: "typed", "preset nightly", "your defaults". */
export type ConfigLayer = { origin: string; config: AgentConfig };

export type ResolvedConfig = { config: AgentConfig; fields: Record<string, string> };

/** The configuration that is sent, and for each of its fields where the value comes from. */
export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedConfig {
  const config: AgentConfig = {};
  const fields: Record<string, string> = {};
  for (const layer of layers) {
    for (const [field, value] of Object.entries(layer.config)) {
      if (value === undefined) continue;
      config[field] = value;
      fields[field] = layer.origin;
    }
  }
  return { config, fields };
}

/** Who asks, and where: what decides which defaults count. */
export type Asker = { teamId: string; channelId: string; userId: string };

export const defaultsKey = 'run.defaults';

export const owners = {
  workspace: ({ teamId }: Asker): SettingOwner => ({ teamId, scope: 'workspace', scopeId: teamId }),
  channel: ({ teamId, channelId }: Asker): SettingOwner => ({
    teamId,
    scope: 'channel',
    scopeId: channelId,
  }),
  person: ({ teamId, userId }: Asker): SettingOwner => ({
    teamId,
    scope: 'person',
    scopeId: userId,
  }),
};
export type Scope = keyof typeof owners;
const scopes: readonly Scope[] = ['workspace', 'channel', 'person'];

export const scopeWords: Record<Scope, string> = {
  workspace: 'workspace defaults',
  channel: 'channel defaults',
  person: 'your defaults',
};

export async function readDefaults(
  settings: Pick<Settings, 'read'>,
  scope: Scope,
  asker: Asker,
): Promise<AgentConfig> {
  return readConfig(await settings.read(owners[scope](asker), defaultsKey));
}

function readConfig(stored: unknown): AgentConfig {
  if (stored === undefined) return {};
  return agentConfigSchema.safeParse(stored).data ?? {};
}

export function writeDefaults(
  settings: Pick<Settings, 'write'>,
  scope: Scope,
  asker: Asker,
  config: AgentConfig,
): Promise<void> {
  return settings.write(owners[scope](asker), defaultsKey, config);
}

const atOnceKey = 'start.at-once';

/** Whether `/agent <prompt>` starts without the form for this person. */
export async function readStartsAtOnce(
  settings: Pick<Settings, 'read'>,
  asker: Asker,
): Promise<boolean> {
  return (await settings.read(owners.person(asker), atOnceKey)) === true;
}

export function writeStartsAtOnce(
  settings: Pick<Settings, 'write'>,
  asker: Asker,
  startsAtOnce: boolean,
): Promise<void> {
  return settings.write(owners.person(asker), atOnceKey, startsAtOnce);
}

/** Workspace < channel < person. What none of them says the runs service decides itself. */
export async function readDefaultLayers(
  settings: Pick<Settings, 'readLayers'>,
  asker: Asker,
): Promise<ConfigLayer[]> {
  return defaultLayers(await settings.readLayers(asker, defaultsKey));
}

/** @param stored what is kept under `defaultsKey`, by scope */
export const defaultLayers = (stored: ReadonlyMap<string, unknown>): ConfigLayer[] =>
  scopes.map((scope) => ({ origin: scopeWords[scope], config: readConfig(stored.get(scope)) }));
