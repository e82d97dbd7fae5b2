import type { AppEvents } from './app-events.ts';
import type { Changes } from './changes.ts';
import { channelOf, findInstallation } from './directory.ts';
import type { World } from './world.ts';

type Parts = { world: World; changes: Changes; events: AppEvents };

/** Adds the app to a channel or takes it out, as a person does with `/invite` and `/remove`; the app is told. */
export async function setAppInChannel(
  { world, changes, events }: Parts,
  channelId: string,
  isOn: boolean,
): Promise<void> {
  const channel = channelOf(world, channelId);
  const bot = findInstallation(world, channel.teamId)?.botUserId;
  if (!bot || channel.memberIds.includes(bot) === isOn) return;
  const event = { user: bot, channel: channelId, channel_type: 'C', team: channel.teamId };
  if (isOn) channel.memberIds.push(bot);
  else channel.memberIds.splice(channel.memberIds.indexOf(bot), 1);
  changes.emit({ type: 'channel', channelId });
  const type = isOn ? 'member_joined_channel' : 'member_left_channel';
  await events.inChannel(channelId, type, { type, ...event });
}
