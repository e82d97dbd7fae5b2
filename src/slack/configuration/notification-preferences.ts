/** How people want to be told of runs: layers, as for the configuration, the later ones over the earlier. */
import { z } from 'zod';
import type { Settings } from '../../store/settings.ts';
import { type Asker, owners, type Scope } from './run-defaults.ts';

/** Where the reply at the end goes. `direct`: as a direct message. */
export const replyPlaces = ['thread', 'direct', 'both', 'none'] as const;
export type ReplyPlace = (typeof replyPlaces)[number];

const hour = z.number().int().min(0).max(23);
const absent = undefined;
const wishesSchema = z.object({
  reply: z.enum(replyPlaces).optional().catch(absent),
  /** Of a channel or the workspace: the reply in the thread is shown in the channel too. */
  toChannel: z.boolean().optional().catch(absent),
  /** Of a person, in their own time zone. */
  quiet: z.object({ from: hour, until: hour }).optional().catch(absent),
});
/** What one layer says; what it does not say is left to the layers below. */
export type NoticeWishes = z.infer<typeof wishesSchema>;

const wishesKey = 'runs.notices';

export async function readWishes(
  settings: Pick<Settings, 'read'>,
  scope: Scope,
  asker: Asker,
): Promise<NoticeWishes> {
  const stored = wishesSchema.safeParse(await settings.read(owners[scope](asker), wishesKey));
  return stored.success ? stored.data : {};
}

export function writeWishes(
  settings: Pick<Settings, 'write'>,
  scope: Scope,
  asker: Asker,
  wishes: NoticeWishes,
): Promise<void> {
  return settings.write(owners[scope](asker), wishesKey, wishes);
}

export type SettledWishes = {
  reply: ReplyPlace;
  toChannel: boolean;
  quiet: NoticeWishes['quiet'];
};

/** Person over channel over workspace; a reply in the thread when nobody says anything. */
export async function settleWishes(
  settings: Pick<Settings, 'read'>,
  asker: Asker,
): Promise<SettledWishes> {
  const [workspace, channel, person] = await Promise.all([
    readWishes(settings, 'workspace', asker),
    readWishes(settings, 'channel', asker),
    readWishes(settings, 'person', asker),
  ]);
  return {
    reply: person.reply ?? channel.reply ?? workspace.reply ?? 'thread',
    toChannel: channel.toChannel ?? workspace.toChannel ?? false,
    quiet: person.quiet,
  };
}
