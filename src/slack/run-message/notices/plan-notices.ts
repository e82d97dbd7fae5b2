import type { WebClient } from '@slack/web-api';
import { endOfHours, knownTimeZone } from 'base/time/local-time';
import { endRound } from '../../../following/progress.ts';
import type { NewPost, PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { Settings } from '../../../store/people/settings.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import {
  type NotificationPreferences,
  type ReplyPlace,
  resolvePreferences,
} from '../../configuration/preferences.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { threadOf } from '../../runs/run-ref.ts';
import { newScreenshots } from '../uploads/upload-content.ts';
import { newNotice } from './notice-content.ts';
import { type NotifiedParts, readNotified } from './notified-people.ts';

export type PlanParts = NotifiedParts & {
  client: Pick<WebClient, 'users'>;
  settings: Pick<Settings, 'readLayers'>;
};

/** `quietUntil`: when this person's current quiet hours end, in epoch milliseconds. */
export type Recipient = { userId: string; reply: ReplyPlace; quietUntil: number | undefined };

/**
 * Notifies people of the end: one reply in the thread that mentions them, and direct messages. In quiet hours a person
 * gets a direct message afterwards, because the thread can't wait for one of several people.
 */
export async function planEnd(
  parts: PlanParts,
  request: RunRequest,
  message: PostPlace | null,
): Promise<NewPost[]> {
  const now = Date.now();
  const thread = threadOf(request, message);
  const people = await findRecipients(parts, request, now);
  const { toChannel } = await resolvePreferences(parts.settings, askerOf(request, ''));
  const isAwake = ({ quietUntil }: Recipient) => quietUntil === undefined;
  const inThread = people.filter(({ reply }) => reply === 'thread' || reply === 'both');
  const names = inThread.filter(isAwake).map(({ userId }) => userId);
  const direct = people.filter(
    (each) => each.reply === 'direct' || each.reply === 'both' || !isAwake(each),
  );
  // The reply is shown in the channel even if it mentions nobody.
  const isShown = toChannel && thread?.channelId.startsWith('D') === false;
  // Without a run message, nothing else would show that the run ended.
  const isSilent = thread === undefined && people.length === 0;
  const isReplied = names.length > 0 || isShown;
  const alone = isSilent ? [{ userId: request.creatorId, quietUntil: undefined }] : [];
  const told = [...alone, ...direct].map(({ userId, quietUntil = now }) => ({
    userId,
    dueAt: quietUntil,
  }));
  return [
    ...(isReplied ? [inTheThread(request, names, isShown)] : []),
    ...told.map(({ userId, dueAt }) => asDirect(request, userId, dueAt)),
    ...(thread ? newScreenshots(request, now) : []),
  ];
}

/** Only the creator, in one place, after their quiet hours. */
export async function planNudge(parts: PlanParts, request: RunRequest): Promise<NewPost[]> {
  const now = Date.now();
  const creator = await findCreator(parts, request, now);
  if (!creator) return [];
  const { userId, reply, quietUntil } = creator;
  const content = { userId: reply === 'thread' ? null : userId, names: [userId] };
  return [newNotice(request, 'nudge', { ...content, toChannel: false }, quietUntil ?? now)];
}

/** The creator, if they want to be notified. */
export async function findCreator(
  parts: PlanParts,
  request: RunRequest,
  now: number,
): Promise<Recipient | undefined> {
  const people = await findRecipients(parts, request, now);
  return people.find(({ userId }) => userId === request.creatorId);
}

const inTheThread = (request: RunRequest, names: string[], toChannel: boolean): NewPost =>
  newNotice(request, 'end', { round: endRound(request), userId: null, names, toChannel });

const asDirect = (request: RunRequest, userId: string, dueAt: number): NewPost =>
  newNotice(
    request,
    'end',
    { round: endRound(request), userId, names: [userId], toChannel: false },
    dueAt,
  );

/** Those who want to be notified, and where. A setting of "none" doesn't count for those who pressed *Notify me*. */
async function findRecipients(
  parts: PlanParts,
  request: RunRequest,
  now: number,
): Promise<Recipient[]> {
  const people = await Promise.all(
    (await readNotified(parts, request)).map(async ({ userId, optedIn }) => {
      const { reply, quiet } = await resolvePreferences(parts.settings, askerOf(request, userId));
      const place: ReplyPlace = reply === 'none' && optedIn ? 'thread' : reply;
      return { userId, reply: place, quietUntil: await quietUntil(parts, userId, quiet, now) };
    }),
  );
  return people.filter(({ reply }) => reply !== 'none');
}

const askerOf = ({ teamId, channelId }: RunRequest, userId: string) => ({
  teamId,
  channelId,
  userId,
});

async function quietUntil(
  { client }: PlanParts,
  userId: string,
  quiet: NotificationPreferences['quiet'],
  now: number,
): Promise<number | undefined> {
  if (!quiet) return undefined;
  const timeZone = await readTimeZone(client, userId);
  return endOfHours(now, quiet, timeZone);
}

/** @throws Slack errors worth a retry */
async function readTimeZone(client: PlanParts['client'], userId: string): Promise<string> {
  try {
    const { user } = await client.users.info({ user: userId });
    return knownTimeZone(user?.tz);
  } catch (error) {
    if (readSlackFailure(error).outcome === 'later') throw error;
    return knownTimeZone(undefined);
  }
}
