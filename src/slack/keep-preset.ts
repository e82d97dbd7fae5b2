/** Saving a preset, and who may save, rename and delete which. */
import { withPatience } from '../lib/patience.ts';
import type { AgentConfig } from '../runs-api/contract.ts';
import type { Settings } from '../store/settings.ts';
import type { People, Person } from './people.ts';
import { findPreset, type Preset, type PresetName, savePreset } from './presets.ts';
import type { Asker } from './run-defaults.ts';
import { readSlackTrouble } from './slack-trouble.ts';

export type KeepPresetParts = {
  settings: Pick<Settings, 'list' | 'write'>;
  people: Pick<People, 'find'>;
};

/** A form must be acknowledged in three seconds. */
const patienceMs = 1_200;

/**
 * Why this person may not give a preset that name, or replace the one that has it; undefined when they may.
 * @param config undefined while a field of it is wrong: nobody knows yet what there will be to keep
 */
export async function whyNotKeepPreset(
  parts: KeepPresetParts,
  asker: Asker,
  { config, ...preset }: PresetName & { config: AgentConfig | undefined },
): Promise<string | undefined> {
  if (config && Object.values(config).every((value) => value === undefined)) return nothingToKeep;
  const existing = await findPreset(parts.settings, asker, preset);
  return await whyNotChangePreset(parts, asker, existing ?? { ...preset, makerId: asker.userId });
}

/** A plain sentence that says why this person may not change or delete the preset; undefined when they may. */
export async function whyNotChangePreset(
  { people }: Pick<KeepPresetParts, 'people'>,
  asker: Asker,
  { scope, makerId }: Pick<Preset, 'scope' | 'makerId'>,
): Promise<string | undefined> {
  if (scope === 'person') return undefined;
  const person = await withPatience(find(people, asker.userId), patienceMs);
  if (!person) return 'Slack did not say in time who you are. Try again in a moment.';
  const isOurs = person.teamId === undefined || person.teamId === asker.teamId;
  if (isOurs && person.isAdmin) return undefined;
  if (scope === 'workspace') return adminsOnly;
  if (!isOurs || person.standing !== 'member') return membersOnly;
  return makerId === asker.userId ? undefined : makersOnly;
}

const nothingToKeep =
  'There is nothing to keep yet: a preset has the configuration, such as environment or model, not the prompt.';
const adminsOnly =
  'Only admins of the workspace may save and change its presets. Keep it for yourself or the channel, or ask an admin.';
const membersOnly =
  'Only members of this workspace may save and change presets of a channel, not guests.';
const makersOnly =
  'Others in this channel rely on its presets, so only who made this one and admins may change it. Take another name, or ask one of them.';

async function find(people: Pick<People, 'find'>, userId: string): Promise<Person | undefined> {
  try {
    return await people.find(userId);
  } catch (error) {
    readSlackTrouble(error);
    return undefined;
  }
}

/** Replaces one of the same name and scope, whose maker it keeps. */
export async function keepPreset(
  { settings }: Pick<KeepPresetParts, 'settings'>,
  asker: Asker,
  preset: PresetName & { config: AgentConfig },
): Promise<void> {
  const existing = await findPreset(settings, asker, preset);
  await savePreset(settings, asker, { ...preset, makerId: existing?.makerId ?? asker.userId });
}
