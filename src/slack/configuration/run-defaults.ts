/** Resolves a run's configuration from layers. Later layers override earlier ones. */

import { readableLine } from 'base/readable-text';
import { type AgentConfig, agentConfigSchema } from 'runs-client/contract';
import type { Scope, Settings } from '../../store/people/settings.ts';
import { type Asker, setting } from '../people/setting.ts';
import { shorten } from '../text/escape-text.ts';

export const configFields = [
  'connection',
  'environment_id',
  'model_id',
  'skill_spec',
  'name',
  'base_prompt',
  'mcp_servers',
] as const;
export type ConfigField = (typeof configFields)[number];

export const fieldLabels: Record<ConfigField, string> = {
  connection: 'Connection',
  environment_id: 'Environment',
  model_id: 'Model',
  skill_spec: 'Skill',
  name: 'Group',
  base_prompt: 'Base prompt',
  mcp_servers: 'MCP servers',
};

/** Describes a configuration on one line. MCP servers are only named, because the rest can contain keys. */
export function describeConfig(config: AgentConfig): string {
  const values = configFields.flatMap((field) => {
    const value = config[field];
    if (value === undefined || value === null) return [];
    const text = typeof value === 'object' ? Object.keys(value).join(', ') : `${value}`;
    return [`${fieldLabels[field]} ${shorten(readableLine(text), 60)}`];
  });
  return values.join(' · ') || 'no values';
}

/**
 * Configuration from one origin. `origin` is text for people, such as "typed", "channel preset nightly" or "your
 * defaults".
 */
export type ConfigLayer = { origin: string; config: AgentConfig };

export type ResolvedConfig = { config: AgentConfig; fields: Record<string, string> };

/** Returns the configuration to send, with the origin of each value. */
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

export const defaultsKey = 'run.defaults';

const lowestFirst: readonly Scope[] = ['workspace', 'channel', 'person'];

export const defaultsOrigins: Record<Scope, string> = {
  workspace: 'workspace defaults',
  channel: 'channel defaults',
  person: 'your defaults',
};

const settingWords: Record<Scope, string> = {
  workspace: 'workspace setting',
  channel: 'channel setting',
  person: 'your setting',
};

/** Value that applies if nobody chooses another one. `origin` is shown to people, such as "channel setting". */
export type DefaultValue = { id: string; origin: string };

export function defaultEnvironmentOf(layers: readonly ConfigLayer[]): DefaultValue | undefined {
  const { config, fields } = resolveConfig(layers);
  const { environment_id: id } = config;
  const { environment_id: origin } = fields;
  if (!id || origin === undefined) return undefined;
  return { id, origin: originText(origin) };
}

/** Returns the text for an origin that is shown. Stored requests have the origin itself. */
export function originText(origin: string): string {
  const scope = lowestFirst.find((each) => defaultsOrigins[each] === origin);
  return scope ? settingWords[scope] : origin;
}

const defaultsSchema = agentConfigSchema.catch({});
export const runDefaults = setting<AgentConfig>(defaultsKey, defaultsSchema);

/** Returns the defaults of the workspace, the channel and the person. The runs service sets everything else. */
export async function readDefaultLayers(
  settings: Pick<Settings, 'readLayers'>,
  asker: Asker,
): Promise<ConfigLayer[]> {
  return defaultLayers(await settings.readLayers(asker, defaultsKey));
}

/** Returns the default layers that a scope overrides. */
export const layersBelow = (scope: Scope, layers: readonly ConfigLayer[]): ConfigLayer[] =>
  layers.filter((_, index) => index < lowestFirst.indexOf(scope));

/**
 * Returns the default layers. Later layers override earlier ones.
 * @param stored values under `defaultsKey`, by scope
 */
export const defaultLayers = (stored: ReadonlyMap<string, unknown>): ConfigLayer[] =>
  lowestFirst.map((scope) => ({
    origin: defaultsOrigins[scope],
    // Parse only stored defaults. Most scopes have none, and parsing undefined would create an error with a stack.
    config: stored.has(scope) ? defaultsSchema.parse(stored.get(scope)) : {},
  }));

const pattern = /^[^/\s:]+\/[^/\s:]+:\S+$/;

export const skillSpecProblem =
  'Use the format owner/repo:skill-name or owner/repo:path/to/SKILL.md.';

export const isSkillSpec = (text: string): boolean => pattern.test(text);
