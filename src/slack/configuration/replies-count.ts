import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import { setting } from '../people/setting.ts';

/** A channel's setting of whether replies in threads of runs are for the run even without a mention. */
export const repliesCount = setting('runs.replies', z.boolean().catch(true));

/** Direct messages always are. */
export const takesReplies = async (
  settings: Pick<Settings, 'read'>,
  { teamId, channelId }: { teamId: string; channelId: string },
): Promise<boolean> =>
  channelId.startsWith('D') ||
  repliesCount.read(settings, { teamId, scope: 'channel', scopeId: channelId });
