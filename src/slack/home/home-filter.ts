import { z } from 'zod';
import type { Settings } from '../../store/settings.ts';

/** Whose runs the Home tab lists. */
export type HomeFilter =
  | { creator: 'me' }
  | { creator: 'everyone' }
  | { creator: 'person'; userId: string };

const filterSchema = z.union([
  z.object({ creator: z.literal('me') }),
  z.object({ creator: z.literal('everyone') }),
  z.object({ creator: z.literal('person'), userId: z.string().min(1) }),
]);

const settingKey = 'home.filter';

export async function readHomeFilter(
  settings: Settings,
  teamId: string,
  userId: string,
): Promise<HomeFilter> {
  const owner = { teamId, scope: 'person', scopeId: userId } as const;
  const stored = filterSchema.safeParse(await settings.read(owner, settingKey));
  return stored.success ? stored.data : { creator: 'me' };
}

export function writeHomeFilter(
  settings: Settings,
  teamId: string,
  userId: string,
  filter: HomeFilter,
): Promise<void> {
  return settings.write({ teamId, scope: 'person', scopeId: userId }, settingKey, filter);
}
