import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/people/settings.ts';
import { hasHidden, putKeysBack } from '../configuration/mcp-servers.ts';
import { findPreset, listPresets, presetOrigin } from '../configuration/presets.ts';
import type { ConfigLayer, ResolvedConfig } from '../configuration/run-defaults.ts';
import type { Asker } from '../people/setting.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import { mergeFormConfig } from './merge-form-config.ts';
import { type FormAnswers, presetGone } from './read-form.ts';

type ResolveParts = { settings: Pick<Settings, 'list'> };

/** `lostErrors`: an error for each field with values that are no longer stored. */
type Resolved = { resolved?: ResolvedConfig; lostErrors: Record<string, string> };

/** `earlier`: of the run that this one repeats. */
type KnownConfigs = { defaults: readonly ConfigLayer[]; earlier: AgentConfig | undefined };

/** The configuration from the form, with what the form doesn't contain: defaults, preset values, hidden keys. */
export async function resolveAnswers(
  { settings }: ResolveParts,
  asker: Asker,
  { metadata, config, preset: wanted }: FormAnswers,
  { defaults, earlier }: KnownConfigs,
): Promise<Resolved> {
  const repeated = earlier ? [{ origin: earlierRun, config: earlier }] : [];
  const layers = metadata.isExact ? repeated : defaults;
  const preset = wanted && (await findPreset(settings, asker, wanted));
  const { value, error } = await readServers();
  const lostErrors = {
    ...(wanted && !preset && { preset: presetGone }),
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
