import { compact, type JsonObject } from '../lib/json.ts';
import type { View, World } from '../world/world.ts';
import { viewPayload } from './view.ts';

type Opening = { userId: string; channelId: string; ts: string; tab: 'home' | 'messages' };

/** A person opens the app's Home or Messages tab. The view is the published one, if any. */
export function appHomeOpened(
  world: World,
  { userId, channelId, ts, tab }: Opening,
  home: View | undefined,
): JsonObject {
  return compact({
    type: 'app_home_opened',
    user: userId,
    channel: channelId,
    tab,
    view: home && tab === 'home' ? viewPayload(world, home) : undefined,
    event_ts: ts,
  });
}
