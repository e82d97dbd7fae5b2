/** Named configurations: of a person, a channel, or the workspace. */
import { z } from 'zod';
import { agentConfigSchema } from '../runs-api/contract.ts';
import type { Settings } from '../store/settings.ts';
import { type Asker, owners, type Scope } from './run-defaults.ts';

const presetSchema = z.object({ name: z.string().min(1), config: agentConfigSchema });
export type Preset = z.infer<typeof presetSchema> & { scope: Scope };

export const presetNameLimit = 60;

const prefix = 'preset:';
const keyOf = (name: string) => prefix + name.trim().toLowerCase();

/** The nearest first: a person's own hides a workspace's preset of the same name. */
const nearestFirst: readonly Scope[] = ['person', 'channel', 'workspace'];

export async function listPresets(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
): Promise<Preset[]> {
  const lists = await Promise.all(
    nearestFirst.map(async (scope) => {
      const stored = await settings.list(owners[scope](asker), prefix);
      return stored.flatMap(({ value }) => {
        const preset = presetSchema.safeParse(value);
        return preset.success ? [{ ...preset.data, scope }] : [];
      });
    }),
  );
  return lists.flat();
}

export async function findPreset(
  settings: Pick<Settings, 'list'>,
  asker: Asker,
  name: string,
): Promise<Preset | undefined> {
  const presets = await listPresets(settings, asker);
  return presets.find((preset) => keyOf(preset.name) === keyOf(name));
}

export function savePreset(
  settings: Pick<Settings, 'write'>,
  asker: Asker,
  { scope, name, config }: Preset,
): Promise<void> {
  return settings.write(owners[scope](asker), keyOf(name), { name: name.trim(), config });
}

export function removePreset(
  settings: Pick<Settings, 'remove'>,
  asker: Asker,
  { scope, name }: Pick<Preset, 'scope' | 'name'>,
): Promise<boolean> {
  return settings.remove(owners[scope](asker), keyOf(name));
}
