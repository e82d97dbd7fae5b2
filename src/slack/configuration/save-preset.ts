/** Saving a preset. */
import { isDeepStrictEqual } from 'node:util';
import type { InputBlock } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import type { Settings } from '../../store/settings.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { Rights } from '../people/rights.ts';
import { tickInput } from './form-inputs.ts';
import { findPreset, type Preset, type PresetName, savePreset } from './presets.ts';
import { type Asker, describeConfig } from './run-defaults.ts';

export type KeepPresetParts = {
  settings: Pick<Settings, 'list' | 'write'>;
  rights: Pick<Rights, 'refusePreset'>;
};

/** What somebody wants to keep. `replaces`: also in the place of another one of this name. */
export type WantedPreset = PresetName & { replaces: boolean };

const replacing = 'Replace the one that has it';

/** The tick of every form that saves a preset. Its answer is read with {@link isReplacing}. */
export const replaceInput = (blockId: string, answer?: string): InputBlock =>
  tickInput({
    blockId,
    label: 'If the name is taken',
    ticks: [{ value: 'replace', text: replacing, isTicked: isReplacing(answer) }],
  });

export const isReplacing = (answer: string | undefined): boolean => answer === 'replace';

/**
 * Why a preset cannot be kept so: this person may not, or it would replace another one unasked; undefined when it can.
 * @param config undefined while a field of it is wrong: nobody knows yet what there will be to keep
 */
export async function whyNotKeepPreset(
  parts: KeepPresetParts,
  asker: Asker,
  { config, replaces, ...preset }: WantedPreset & { config: AgentConfig | undefined },
): Promise<string | undefined> {
  if (config && Object.values(config).every((value) => value === undefined)) return nothingToKeep;
  const existing = await findPreset(parts.settings, asker, preset);
  const subject = existing ?? { ...preset, makerId: asker.userId };
  const refusal = await parts.rights.refusePreset(asker, subject, ackWaitMs);
  if (refusal || !existing || replaces) return refusal;
  // Sent once more, it finds what it has kept itself.
  return isDeepStrictEqual(existing.config, config) ? undefined : taken(existing);
}

const nothingToKeep =
  'There is nothing to keep yet: a preset has the configuration, such as environment or model, not the prompt.';
const taken = ({ config }: Pick<Preset, 'config'>) =>
  `There is one of this name already, with ${describeConfig(config)}. Take another name, or tick “${replacing}”.`;
/** One of the same name and scope is replaced; its maker stays. */
export async function keepPreset(
  { settings }: Pick<KeepPresetParts, 'settings'>,
  asker: Asker,
  preset: PresetName & { config: AgentConfig },
): Promise<void> {
  const existing = await findPreset(settings, asker, preset);
  await savePreset(settings, asker, { ...preset, makerId: existing?.makerId ?? asker.userId });
}
