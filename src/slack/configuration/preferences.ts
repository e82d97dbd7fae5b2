/**
 * Defines preferences for notifications, replies and the start of runs. Workspaces, channels and people can set them.
 */
import { z } from 'zod';
import type { Scope, Settings } from '../../store/people/settings.ts';
import { type Asker, setting } from '../people/setting.ts';

/** Destinations of the reply at the end of a run. `direct` is a direct message. */
export const replyPlaces = ['thread', 'direct', 'both', 'none'] as const;
export type ReplyPlace = (typeof replyPlaces)[number];

const hour = z.number().int().min(0).max(23);
const absent = undefined;
const preferencesSchema = z.object({
  reply: z.enum(replyPlaces).optional().catch(absent),
  /** True if thread replies are also shown in the channel. Set by the channel or workspace. */
  toChannel: z.boolean().optional().catch(absent),
  /** Quiet hours in the person's time zone. Set by the person. */
  quiet: z.object({ from: hour, until: hour }).optional().catch(absent),
});
/** Preferences of one scope: a person, a channel or the workspace. */
export type NotificationPreferences = z.infer<typeof preferencesSchema>;

const key = 'runs.notices';
const storedSchema = preferencesSchema.catch({});
export const notificationPreferences = setting(key, storedSchema);

type ResolvedPreferences = {
  reply: ReplyPlace;
  toChannel: boolean;
  quiet: NotificationPreferences['quiet'];
};

/** Resolves preferences. The person overrides the channel, which overrides the workspace. */
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

/** Channel setting that sends thread replies to the run even without a mention. */
export const plainRepliesSetting = setting('runs.replies', z.boolean().catch(true));

/** Returns true if thread replies go to the run without a mention. In direct messages they always do. */
export const acceptsPlainReplies = async (
  settings: Pick<Settings, 'read'>,
  { teamId, channelId }: { teamId: string; channelId: string },
): Promise<boolean> =>
  channelId.startsWith('D') ||
  plainRepliesSetting.read(settings, { teamId, scope: 'channel', scopeId: channelId });

/** Personal setting that lets `/agent <prompt>` start a run without the form. */
export const startsAtOnce = setting('start.at-once', z.boolean().catch(false));
