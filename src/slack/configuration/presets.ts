/** Named configurations: of a person, a channel, or the workspace. */

import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import type { Settings } from '../../store/settings.ts';
import { type Asker, owners, type Scope } from './run-defaults.ts';

const storedSchema = z.object({
  name: z.string().min(1),
  config: agentConfigSchema,
  /** Who made it; those of a channel belong to their maker. */
  makerId: z.string().optional(),
});
export type Preset = z.infer<typeof storedSchema> & { scope: Scope };
export type PresetName = Pick<Preset, 'scope' | 'name'>;

export const presetNameLimit = 60;

/** The nearest first: by its name alone, a person's own goes before the channel's, and that before the workspace's. */
export const nearestFirst: readonly Scope[] = ['person', 'channel', 'workspace'];

/** What kind of preset it is, for everybody who reads it. */
export const presetKinds: Record<Scope, string> = {
  person: 'personal',
  channel: 'of the channel',
  workspace: 'of the workspace',
};

/** Whom a preset can be saved for, from a place; there may be no channel. */
export const scopeChoices = (channelId: string): { value: Scope; text: string }[] => [
  { value: 'person', text: 'Only me' },
  ...(channelId ? [{ value: 'channel' as const, text: 'Everybody in this channel' }] : []),
  { value: 'workspace', text: 'Everybody in the workspace (admins save it)' },
];

export const presetOrigin = ({ name, scope }: PresetName) =>
  `preset ${name}, ${presetKinds[scope]}`;

const prefix = 'preset:';
const keyOf = (name: string) => prefix + tidy(name).toLowerCase();
const tidy = (name: string) => name.replace(/\s+/g, ' ').trim();

export const isSameName = (one: string, other: string) => keyOf(one) === keyOf(other);

/** Nearest first, then by name. */
export async function listPresets(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
): Promise<Preset[]> {
  const lists = await Promise.all(
    nearestFirst.map(async (scope) => {
      if (scope === 'channel' && !asker.channelId) return [];
      const stored = await settings.list(owners[scope](asker), prefix);
      return stored.flatMap(({ value }) => {
        const preset = storedSchema.safeParse(value);
        return preset.success ? [{ ...preset.data, scope }] : [];
      });
    }),
  );
  return lists.flat();
}

/** The nearest of that name; with a scope, that one. */
export async function findPreset(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
  { name, scope }: { name: string; scope?: Scope | undefined },
): Promise<Preset | undefined> {
  const presets = await listPresets(settings, asker);
  return presets.find(
    (preset) => isSameName(preset.name, name) && (scope === undefined || preset.scope === scope),
  );
}

export const noSuchPreset = (name: string) =>
  `There is no preset called \`${name}\`. \`/agent presets\` lists them.`;

/** Takes the place of one of the same name and scope. */
export function savePreset(
  settings: Pick<Settings, 'write'>,
  asker: Asker,
  { scope, name, ...stored }: Preset,
): Promise<void> {
  return settings.write(owners[scope](asker), keyOf(name), { name: tidy(name), ...stored });
}

/** `taken`: there is another of the new name. `gone`: somebody was faster. */
export function renamePreset(
  settings: Pick<Settings, 'move'>,
  asker: Asker,
  { scope, name, ...stored }: Preset,
  newName: string,
): Promise<'moved' | 'taken' | 'gone'> {
  const value = { name: tidy(newName), ...stored };
  return settings.move(owners[scope](asker), keyOf(name), { key: keyOf(newName), value });
}

export function removePreset(
  settings: Pick<Settings, 'remove'>,
  asker: Asker,
  { scope, name }: PresetName,
): Promise<boolean> {
  return settings.remove(owners[scope](asker), keyOf(name));
}

/** What a picker or a button holds for one preset, whatever others share its name. */
export const presetReference = ({ scope, name }: PresetName) => `${scope}:${name}`;

const referencePattern = /^(person|channel|workspace):(.+)$/s;

export function readPresetReference(text: string): PresetName | undefined {
  const [, scope, name] = referencePattern.exec(text) ?? [];
  return scope && name ? { scope: scope as Scope, name } : undefined;
}
