/** Preferences for notifications, replies and the start of runs. Like the configuration, they're set in layers. */
import { z } from 'zod';
import type { Scope, Settings } from '../../store/people/settings.ts';
import { type Asker, setting } from '../people/setting.ts';

/** Places for the reply at the end of a run. `direct` is a direct message. */
export const replyPlaces = ['thread', 'direct', 'both', 'none'] as const;
export type ReplyPlace = (typeof replyPlaces)[number];

const hour = z.number().int().min(0).max(23);
const absent = undefined;
const preferencesSchema = z.object({
  reply: z.enum(replyPlaces).optional().catch(absent),
  /** Channel or workspace setting. Replies in threads are also sent to the channel. */
  toChannel: z.boolean().optional().catch(absent),
  /** Personal setting, in hours of the person's time zone. */
  quiet: z.object({ from: hour, until: hour }).optional().catch(absent),
});
/** Preferences of one layer. Other values come from the layers below. */
export type NotificationPreferences = z.infer<typeof preferencesSchema>;

const key = 'runs.notices';
const storedSchema = preferencesSchema.catch({});
export const notificationPreferences = setting(key, storedSchema);

type ResolvedPreferences = {
  reply: ReplyPlace;
  toChannel: boolean;
  quiet: NotificationPreferences['quiet'];
};

/** The person overrides the channel, which overrides the workspace. The default is a reply in the thread. */
export async function resolvePreferences(
  settings: Pick<Settings, 'readLayers'>,
  asker: Asker,
): Promise<ResolvedPreferences> {
  const layers = await settings.readLayers(asker, key);
  const of = (scope: Scope) => storedSchema.parse(layers.get(scope) ?? {});
  const [workspace, channel, person] = [of('workspace'), of('channel'), of('person')];
  return {
    reply: person.reply ?? channel.reply ?? workspace.reply ?? 'thread',
    toChannel: channel.toChannel ?? workspace.toChannel ?? false,
    quiet: person.quiet,
  };
}

/** Channel setting. Replies in the thread of a run are sent to the run even without a mention. */
export const plainRepliesSetting = setting('runs.replies', z.boolean().catch(true));

/** Returns true in direct messages, and if the channel's setting says so. */
export const acceptsPlainReplies = async (
  settings: Pick<Settings, 'read'>,
  { teamId, channelId }: { teamId: string; channelId: string },
): Promise<boolean> =>
  channelId.startsWith('D') ||
  plainRepliesSetting.read(settings, { teamId, scope: 'channel', scopeId: channelId });

/** Personal setting. `/agent <prompt>` starts a run without the form. */
export const startsAtOnce = setting('start.at-once', z.boolean().catch(false));
