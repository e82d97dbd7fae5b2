/** Where the values of a run's configuration come from: layers, where later ones override earlier ones. */
import { type AgentConfig, agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import { readableLine } from '../../lib/readable-text.ts';
import type { SettingOwner, Settings } from '../../store/people/settings.ts';
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

/** On one line, for people. Of MCP servers only the names: the rest can contain keys. */
export function describeConfig(config: AgentConfig): string {
  const values = configFields.flatMap((field) => {
    const value = config[field];
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : Object.keys(value).join(', ');
    return [`${fieldWords[field]} ${shorten(readableLine(text), 60)}`];
  });
  return values.join(' · ') || 'no values';
}

/** `origin` is shown to people: "typed", "channel preset nightly", "your defaults". */
export type ConfigLayer = { origin: string; config: AgentConfig };

export type ResolvedConfig = { config: AgentConfig; fields: Record<string, string> };

/** The configuration to send, and where each of its values comes from. */
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

/** Who asks, and where: this decides which defaults apply. */
export type Asker = { teamId: string; channelId: string; userId: string };

export const defaultsKey = 'run.defaults';

export const scopeSchema = z.enum(['person', 'channel', 'workspace']);
export type Scope = z.infer<typeof scopeSchema>;

export const owners: Record<Scope, (asker: Asker) => SettingOwner> = {
  workspace: ({ teamId }) => ({ teamId, scope: 'workspace', scopeId: teamId }),
  channel: ({ teamId, channelId }) => ({
    teamId,
    scope: 'channel',
    scopeId: channelId,
  }),
  person: ({ teamId, userId }) => ({
    teamId,
    scope: 'person',
    scopeId: userId,
  }),
};
const lowestFirst: readonly Scope[] = ['workspace', 'channel', 'person'];

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

/** Workspace < channel < person. The runs service decides what none of them sets. */
export async function readDefaultLayers(
  settings: Pick<Settings, 'readLayers'>,
  asker: Asker,
): Promise<ConfigLayer[]> {
  return defaultLayers(await settings.readLayers(asker, defaultsKey));
}

/** @param stored the values under `defaultsKey`, by scope */
export const defaultLayers = (stored: ReadonlyMap<string, unknown>): ConfigLayer[] =>
  lowestFirst.map((scope) => ({
    origin: scopeWords[scope],
    config: readConfig(stored.get(scope)),
  }));
