import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/people/settings.ts';
import { readOptionsConfig } from './options-config.ts';
import { findPreset, noSuchPreset, type Preset, presetOrigin } from './presets.ts';
import type { AgentOptions, OptionKey } from './read-options.ts';
import {
  type Asker,
  type ResolvedConfig,
  readDefaultLayers,
  resolveConfig,
} from './run-defaults.ts';

type SettingsReader = Pick<Settings, 'readLayers' | 'list'>;

/** `problem` is plain text. */
export type TypedConfig =
  | { ok: true; config: AgentConfig; preset: Preset | undefined }
  | { ok: false; wrong: OptionKey; problem: string };

/** What the typed options ask for. */
export async function readTypedConfig(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
  options: AgentOptions,
): Promise<TypedConfig> {
  const read = readOptionsConfig(options);
  if (!read.ok) return read;
  const { preset: name } = options;
  const preset = name ? await findPreset(settings, asker, { name }) : undefined;
  if (name && !preset) return { ok: false, wrong: 'preset', problem: noSuchPreset(name) };
  return { ok: true, config: read.config, preset };
}

/** Adds the defaults of the workspace, the channel and the person. */
export async function resolveTyped(
  settings: SettingsReader,
  asker: Asker,
  { config, preset }: Extract<TypedConfig, { ok: true }>,
): Promise<ResolvedConfig> {
  return resolveConfig([
    ...(await readDefaultLayers(settings, asker)),
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: 'typed', config },
  ]);
}
