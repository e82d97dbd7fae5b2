/** The workspace's setting of who may cancel other people's runs. `anyone` means every full member. */
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';

export const whoMayCancel = ['creator', 'creator and admins', 'anyone'] as const;
export type WhoMayCancel = (typeof whoMayCancel)[number];

const settingKey = 'runs.who-may-cancel';
const schema = z.enum(whoMayCancel).catch('creator and admins');
const ownerOf = (teamId: string) => ({ teamId, scope: 'workspace', scopeId: teamId }) as const;

export async function readWhoMayCancel(
  settings: Pick<Settings, 'read'>,
  teamId: string,
): Promise<WhoMayCancel> {
  return schema.parse(await settings.read(ownerOf(teamId), settingKey));
}

export function writeWhoMayCancel(
  settings: Pick<Settings, 'write'>,
  { teamId, userId }: { teamId: string; userId: string },
  who: WhoMayCancel,
): Promise<void> {
  return settings.write(ownerOf(teamId), settingKey, who, userId);
}
