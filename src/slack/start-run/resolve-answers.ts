import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/people/settings.ts';
import { hasHidden, putKeysBack } from '../configuration/mcp-servers.ts';
import { findPreset, listPresets, presetGone, presetOrigin } from '../configuration/presets.ts';
import {
  type ConfigLayer,
  configFields,
  type ResolvedConfig,
  resolveConfig,
} from '../configuration/run-defaults.ts';
import type { Asker } from '../people/setting.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import type { FormAnswers } from './read-form.ts';

/**
 * Completes the configuration from the form with defaults, preset values and hidden keys.
 * @param earlier the configuration of the run that this one repeats
 * @returns the configuration, or in `lostErrors` an error for each field whose value is no longer stored
 */
export async function resolveAnswers(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
  { metadata, config, preset: requested }: FormAnswers,
  { defaults, earlier }: { defaults: readonly ConfigLayer[]; earlier: AgentConfig | undefined },
): Promise<{ resolved?: ResolvedConfig; lostErrors: Record<string, string> }> {
  const repeated = earlier ? [{ origin: earlierRun, config: earlier }] : [];
  const layers = metadata.isExact ? repeated : defaults;
  const preset = requested && (await findPreset(settings, asker, requested));
  const { value, error } = await readServers();
  const lostErrors = {
    ...(requested && !preset && { preset: presetGone }),
    ...(error && { mcp_servers: error }),
  };
  if (Object.keys(lostErrors).length > 0) return { lostErrors };
  const layer = preset && { origin: presetOrigin(preset), config: preset.config };
  const shown = 'mcp_servers' in config ? { ...config, mcp_servers: value } : config;
  return { resolved: mergeFormConfig(shown, layers, layer), lostErrors };

  async function readServers() {
    const written = config.mcp_servers;
    if (!written || !hasHidden(written)) return { value: written };
    const { serversFrom: from } = metadata;
    return putKeysBack(written, { from, servers: (await findLayer(from))?.mcp_servers });
  }

  async function findLayer(from: string | undefined): Promise<ConfigLayer['config'] | undefined> {
    if (from === undefined) return undefined;
    const layer = layers.find(({ origin }) => origin === from);
    if (layer) return layer.config;
    const presets = await listPresets(settings, asker);
    return presets.find((each) => presetOrigin(each) === from)?.config;
  }
}

/**
 * Merges the form with the defaults. A field that isn't shown or equals its default gets the preset's value. An emptied
 * field has no value. See docs/decisions/011-forms-open-with-what-is-known.md.
 * @param shown value of each field in the form, `undefined` if it's empty
 */
export function mergeFormConfig(
  shown: AgentConfig,
  layers: readonly ConfigLayer[],
  preset: ConfigLayer | undefined,
): ResolvedConfig {
  const defaults = resolveConfig(layers);
  const chosen = preset ? resolveConfig([...layers, preset]) : defaults;
  const config: AgentConfig = {};
  const fields: Record<string, string> = {};
  for (const field of configFields) {
    const value = shown[field];
    const isUnchanged =
      !(field in shown) ||
      isSame(value, chosen.config[field]) ||
      isSame(value, defaults.config[field]);
    if (!isUnchanged) {
      if (value === undefined) continue;
      Object.assign(config, { [field]: value });
      fields[field] = 'typed';
    } else if (chosen.config[field] !== undefined) {
      Object.assign(config, { [field]: chosen.config[field] });
      fields[field] = chosen.fields[field] ?? 'typed';
    }
  }
  return { config, fields };
}

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
