import type { AppEvents } from '../deliveries/app-events.ts';
import type { Clock } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { appHomeOpened } from '../payloads/event.ts';
import { appContextChanged } from '../payloads/message-event.ts';
import { servingTeam } from '../world/views.ts';
import type { Person, View, World } from '../world/world.ts';
import { type GuestRule, guestsOut, isShutOut } from './outcome.ts';

type OpeningDeps = GuestRule & {
  world: World;
  manifest: AppManifest;
  clock: Clock;
  events: AppEvents;
};

/** Opens a tab of the app as a person. */
export async function openApp(
  deps: OpeningDeps,
  person: Person,
  { channelId, tab, home }: { channelId: string; tab: 'home' | 'messages'; home: View | undefined },
): Promise<void> {
  const { world, clock, events } = deps;
  if (isShutOut(deps, person)) throw new Error(guestsOut);
  const opening = { userId: person.id, channelId, ts: clock.nextTs(), tab };
  const event = appHomeOpened(world, opening, home);
  await events.inTeam(servingTeam(world, person), 'app_home_opened', event);
}

/** Opens a channel next to the app's messages as a person. As in Slack, only an app that's an agent gets an event. */
export async function lookAt(
  { world, manifest, clock, events }: OpeningDeps,
  person: Person,
  { directId, inView }: { directId: string; inView: string },
): Promise<void> {
  if (!manifest.features.agent_view) return;
  const event = appContextChanged(person, { directId, inView, ts: clock.nextTs() });
  await events.inTeam(servingTeam(world, person), 'app_context_changed', event);
}

export function assertShortcut(
  { features }: AppManifest,
  type: 'global' | 'message',
  callbackId: string,
): void {
  const { shortcuts } = features;
  if (shortcuts.some((each) => each.type === type && each.callback_id === callbackId)) return;
  throw new Error(`the manifest declares no ${type} shortcut "${callbackId}"`);
}
