/** Where the values of a run's configuration come from: layers, where later ones override earlier ones. */

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

export const fieldWords: Record<ConfigField, string> = {
  connection: 'Connection',
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
    if (value === undefined || value === null) return [];
    const text = typeof value === 'object' ? Object.keys(value).join(', ') : `${value}`;
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

export const defaultsKey = 'run.defaults';

const lowestFirst: readonly Scope[] = ['workspace', 'channel', 'person'];

export const scopeWords: Record<Scope, string> = {
  workspace: 'workspace defaults',
  channel: 'channel defaults',
  person: 'your defaults',
};

const defaultsSchema = agentConfigSchema.catch({});
export const runDefaults = setting<AgentConfig>(defaultsKey, defaultsSchema);

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
    // Most scopes have none, and parsing nothing costs an error with a stack.
    config: stored.has(scope) ? defaultsSchema.parse(stored.get(scope)) : {},
  }));

const pattern = /^[^/\s:]+\/[^/\s:]+:\S+$/;

export const skillSpecProblem =
  'Use the format owner/repo:skill-name or owner/repo:path/to/SKILL.md.';

export const isSkillSpec = (text: string): boolean => pattern.test(text);
