/** Preferences for notifications, replies and the start of runs. Like the configuration, they're set in layers. */
import { z } from 'zod';
import type { Scope, Settings } from '../../store/people/settings.ts';
import { type Asker, setting } from '../people/setting.ts';

/** Where the reply at the end goes. `direct`: as a direct message. */
export const replyPlaces = ['thread', 'direct', 'both', 'none'] as const;
export type ReplyPlace = (typeof replyPlaces)[number];

const hour = z.number().int().min(0).max(23);
const absent = undefined;
const preferencesSchema = z.object({
  reply: z.enum(replyPlaces).optional().catch(absent),
  /** For a channel or the workspace: thread replies are also sent to the channel. */
  toChannel: z.boolean().optional().catch(absent),
  /** For a person, in their own time zone. */
  quiet: z.object({ from: hour, until: hour }).optional().catch(absent),
});
/** One layer. What it doesn't set comes from the layers below. */
export type NotificationPreferences = z.infer<typeof preferencesSchema>;

const key = 'runs.notices';
const storedSchema = preferencesSchema.catch({});
export const notificationPreferences = setting(key, storedSchema);

type ResolvedPreferences = {
  reply: ReplyPlace;
  toChannel: boolean;
  quiet: NotificationPreferences['quiet'];
};

/** Person over channel over workspace; by default a reply in the thread. */
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

/** A channel's setting of whether replies in threads of runs are for the run even without a mention. */
export const repliesCount = setting('runs.replies', z.boolean().catch(true));

/** Direct messages always are. */
export const takesReplies = async (
  settings: Pick<Settings, 'read'>,
  { teamId, channelId }: { teamId: string; channelId: string },
): Promise<boolean> =>
  channelId.startsWith('D') ||
  repliesCount.read(settings, { teamId, scope: 'channel', scopeId: channelId });

/** Whether `/agent <prompt>` starts without the form for this person. */
export const startsAtOnce = setting('start.at-once', z.boolean().catch(false));
