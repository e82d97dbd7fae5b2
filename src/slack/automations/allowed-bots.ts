/** Stores the bots that admins allow to fire automations. */
import { z } from 'zod';
import type { NextSetting, Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { ownerOf } from '../people/setting.ts';

/** A bot whose messages can fire automations. Slack's `bot_id` names it, because anyone can post under any name. */
const allowedBotSchema = z.object({
  botId: z.string(),
  name: z.string(),
  allowedBy: z.string(),
  /** Time when it was allowed, in epoch ms. */
  at: z.number(),
});
export type AllowedBot = z.infer<typeof allowedBotSchema>;

const botsKey = 'automations.bots';
const botsSchema = z.array(allowedBotSchema).catch([]);
export const maxAllowedBots = 40;

/** Returns the allowed bots of a workspace, by name. */
export async function readAllowedBots(
  settings: Pick<Settings, 'read'>,
  teamId: string,
): Promise<AllowedBot[]> {
  const bots = botsSchema.parse(await settings.read(ownerOf('workspace', { teamId }), botsKey));
  return bots.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Allows a bot. Allowing it again only updates its name. Returns false if there are too many already. */
export async function allowBot(
  settings: Pick<Settings, 'change'>,
  { teamId, userId }: RunViewer,
  { botId, name }: Pick<AllowedBot, 'botId' | 'name'>,
): Promise<boolean> {
  let isAllowed = true;
  await settings.change(ownerOf('workspace', { teamId }), botsKey, userId, (stored) => {
    const bots = botsSchema.parse(stored);
    const known = bots.find((each) => each.botId === botId);
    const others = bots.filter((each) => each !== known);
    isAllowed = known !== undefined || bots.length < maxAllowedBots;
    if (!isAllowed || known?.name === name) return undefined;
    const bot = { botId, name, allowedBy: userId, at: Date.now() };
    return changeTo([...others, { ...bot, ...known, name }], 'bot_allowed', bot);
  });
  return isAllowed;
}

/** Removes a bot, so that its messages fire nothing from now on. */
export async function removeBot(
  settings: Pick<Settings, 'change'>,
  { teamId, userId }: RunViewer,
  botId: string,
): Promise<void> {
  await settings.change(ownerOf('workspace', { teamId }), botsKey, userId, (stored) => {
    const bots = botsSchema.parse(stored);
    const removed = bots.find((each) => each.botId === botId);
    const left = bots.filter((each) => each !== removed);
    return removed && changeTo(left, 'bot_removed', removed);
  });
}

const changeTo = (
  value: readonly AllowedBot[],
  action: 'bot_allowed' | 'bot_removed',
  { botId, name }: Pick<AllowedBot, 'botId' | 'name'>,
): NextSetting => ({
  value,
  entries: [{ action, entity: { type: 'bot', id: botId }, details: { name } }],
});
