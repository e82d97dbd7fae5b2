import { isDeepStrictEqual } from 'node:util';
import type { InputBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/people/settings.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { checkboxInput } from '../text/form-inputs.ts';
import { findPreset, type Preset, type PresetName, writePreset } from './presets.ts';
import { describeConfig } from './run-defaults.ts';

/** Preset to save. With `replaces`, it replaces an existing preset with the same name. */
export type WantedPreset = PresetName & { replaces: boolean };

const replaceText = 'Replace the preset with this name';

/** Renders the checkbox that allows replacing a preset. Read it with {@link isReplacing}. */
export const replaceInput = (blockId: string, answer?: string): InputBlock =>
  checkboxInput({
    blockId,
    label: 'Existing preset',
    boxes: [{ value: 'replace', text: replaceText, isChecked: isReplacing(answer) }],
  });

export const isReplacing = (answer: string | undefined): boolean => answer === 'replace';

/**
 * Returns an error if the person can't save this preset, or another preset has the name.
 * @param config undefined if one of its fields is invalid
 */
export async function findPresetError(
  {
    settings,
    promptRights,
  }: { settings: Pick<Settings, 'list'>; promptRights: Pick<Rights, 'denyPreset'> },
  asker: Asker,
  { config, replaces, ...preset }: WantedPreset & { config: AgentConfig | undefined },
): Promise<string | undefined> {
  if (config && Object.values(config).every((value) => value === undefined)) return nothingToSave;
  const existing = await findPreset(settings, asker, preset);
  const subject = existing ?? { ...preset, makerId: asker.userId };
  const denial = await promptRights.denyPreset(asker, subject);
  if (denial || !existing || replaces) return denial;
  // Accept a preset with the same configuration, because a repeated submission finds the one that it saved.
  return isDeepStrictEqual(existing.config, config) ? undefined : taken(existing);
}

const nothingToSave =
  "There's nothing to save. A preset contains settings such as the environment or model, not the prompt.";
const taken = ({ config }: Pick<Preset, 'config'>) =>
  `A preset with this name already exists: ${describeConfig(config)}. Use another name, or select "${replaceText}".`;

/** Saves a preset. If it replaces an existing preset, the person who made that one stays its maker. */
export async function savePreset(
  { settings }: { settings: Pick<Settings, 'list' | 'write'> },
  asker: Asker,
  preset: PresetName & { config: AgentConfig },
): Promise<void> {
  const existing = await findPreset(settings, asker, preset);
  await writePreset(settings, asker, { ...preset, makerId: existing?.makerId ?? asker.userId });
}
