import type { Definition } from '../../automations/automation.ts';
import type { Settings } from '../../store/people/settings.ts';
import { findPreset, presetOrigin, readPresetReference } from '../configuration/presets.ts';
import {
  type ResolvedConfig,
  readDefaultLayers,
  resolveConfig,
} from '../configuration/run-defaults.ts';
import type { Asker } from '../people/setting.ts';

/**
 * Returns the configuration that an automation's run has now, as if its owner had typed its options in its channel.
 * Undefined if its preset was deleted.
 * @param owner owner and channel of the automation
 */
export async function resolveAutomation(
  settings: Pick<Settings, 'readLayers' | 'list'>,
  owner: Asker,
  { preset: reference, config }: Pick<Definition, 'preset' | 'config'>,
): Promise<ResolvedConfig | undefined> {
  const named = reference === null ? undefined : readPresetReference(reference);
  const [layers, preset] = await Promise.all([
    readDefaultLayers(settings, owner),
    named && findPreset(settings, owner, named),
  ]);
  if (reference !== null && !preset) return undefined;
  return resolveConfig([
    ...layers,
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: 'automation', config },
  ]);
}
