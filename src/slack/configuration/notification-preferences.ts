/** How people are notified of the end of runs: layers, like the configuration. */
import { z } from 'zod';
import type { Scope, Settings } from '../../store/people/settings.ts';
import type { Asker } from '../people/setting.ts';
import { setting } from '../people/setting.ts';

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
