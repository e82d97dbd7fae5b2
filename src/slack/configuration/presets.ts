/** Stores and lists presets, which are named configurations of a person, a channel or the workspace. */

import { readableLine } from 'base/readable-text';
import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import { type Scope, type Settings, scopeSchema } from '../../store/people/settings.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { code } from '../text/escape-text.ts';
import {
  inGroups,
  option,
  optionGroup,
  optionLimits,
  type SearchAnswer,
} from '../text/form-inputs.ts';
import { describeConfig } from './run-defaults.ts';

const storedSchema = z.object({
  name: z.string().min(1),
  config: agentConfigSchema,
  /** Person who can change the preset, besides admins. */
  makerId: z.string().optional(),
});
export type Preset = z.infer<typeof storedSchema> & { scope: Scope };
export type PresetName = Pick<Preset, 'scope' | 'name'>;

export const presetNameLimit = 60;

/** Scopes in the order in which a preset name without a scope is resolved. */
export const scopePrecedence: readonly Scope[] = ['person', 'channel', 'workspace'];

export const presetKinds: Record<Scope, string> = {
  person: 'personal',
  channel: 'channel',
  workspace: 'workspace',
};

/** Returns the scopes that a preset can be saved for. `channelId` is empty if there's no channel. */
export const scopeChoices = (channelId: string): { value: Scope; text: string }[] => [
  { value: 'person', text: 'Only you' },
  ...(channelId ? [{ value: 'channel' as const, text: 'Everyone in this channel' }] : []),
  { value: 'workspace', text: 'Everyone in the workspace (only admins can save)' },
];

/** Returns a preset as pickers name it: its reference, and its name for people. */
export const pickedPreset = (preset: PresetName): [string, string] => [
  presetReference(preset),
  `${preset.name} (${presetKinds[preset.scope]})`,
];

export const presetGone = 'This preset was deleted. Choose another one or none.';

export const presetOrigin = ({ name, scope }: PresetName) => `${presetKinds[scope]} preset ${name}`;

const prefix = 'preset:';
const keyOf = (name: string) => prefix + readableLine(name).toLowerCase();

export const isSameName = (one: string, other: string) => keyOf(one) === keyOf(other);

/** Lists presets in the order of {@link scopePrecedence}, then by name. */
export async function listPresets(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
): Promise<Preset[]> {
  const lists = await Promise.all(
    scopePrecedence.map(async (scope) => {
      if (scope === 'channel' && !asker.channelId) return [];
      const stored = await settings.list(ownerOf(scope, asker), prefix);
      return stored.flatMap(({ value }) => {
        const preset = storedSchema.safeParse(value);
        return preset.success ? [{ ...preset.data, scope }] : [];
      });
    }),
  );
  return lists.flat();
}

/** Finds a preset by name. Without a scope, the person's own preset wins over the channel's and the workspace's. */
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
  `There's no preset called ${code(name, 100)}. To list presets, type \`/agent presets\`.`;

/** Stores a preset. Replaces one with the same name and scope. */
export function writePreset(
  settings: Pick<Settings, 'write'>,
  asker: Asker,
  { scope, name, ...stored }: Preset,
): Promise<void> {
  return settings.write(
    ownerOf(scope, asker),
    keyOf(name),
    {
      name: readableLine(name),
      ...stored,
    },
    asker.userId,
  );
}

export function removePreset(
  settings: Pick<Settings, 'remove'>,
  asker: Asker,
  { scope, name }: PresetName,
): Promise<boolean> {
  return settings.remove(ownerOf(scope, asker), keyOf(name), asker.userId);
}

/** Returns an ID for pickers and buttons. Unlike a name, it's unique across scopes. */
export const presetReference = ({ scope, name }: PresetName) => `${scope}:${name}`;

const referencePattern = /^(\w+):(.+)$/s;

export function readPresetReference(text: string): PresetName | undefined {
  const [, kind, name] = referencePattern.exec(text) ?? [];
  const { data: scope } = scopeSchema.safeParse(kind);
  return scope && name ? { scope, name } : undefined;
}

const groupNames: Record<Scope, string> = {
  person: 'Your presets',
  channel: 'Channel presets',
  workspace: 'Workspace presets',
};

/** Offers presets in groups by scope. If several have the same name, a note shows which one `preset=` uses. */
export function searchPresets(presets: readonly Preset[], query: string): SearchAnswer {
  const wanted = query.trim().toLowerCase();
  const groups = scopePrecedence.flatMap((scope) => {
    const found = presets.filter(
      (preset) => preset.scope === scope && preset.name.toLowerCase().includes(wanted),
    );
    const shown = found.slice(0, optionLimits.options);
    const cut = ` (first ${shown.length} of ${found.length}, type to narrow)`;
    const label = groupNames[scope] + (found.length > shown.length ? cut : '');
    return optionGroup(
      label,
      shown.map((preset) => toOption(preset, presets)),
    );
  });
  return inGroups(groups);
}

function toOption(preset: Preset, all: readonly Preset[]) {
  const nearest = all.find(({ name }) => isSameName(name, preset.name));
  const isHidden = nearest !== undefined && nearest.scope !== preset.scope;
  const note = isHidden ? `preset= uses ${usedInstead[nearest.scope]} preset. ` : '';
  const text = `${preset.name}${isHidden ? ` (${presetKinds[preset.scope]})` : ''}`;
  return option(text, presetReference(preset), note + describeConfig(preset.config));
}

const usedInstead: Record<Scope, string> = {
  person: 'your own',
  channel: "the channel's",
  workspace: "the workspace's",
};
