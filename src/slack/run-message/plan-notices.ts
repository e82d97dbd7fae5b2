import type { WebClient } from '@slack/web-api';
import type { Planned } from '../../following/notices-port.ts';
import { endRound } from '../../following/progress.ts';
import { endOfHours, knownTimeZone } from '../../lib/local-time.ts';
import type { NewNotice } from '../../store/notices.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { RequestWatchers } from '../../store/request-watchers.ts';
import type { Settings } from '../../store/settings.ts';
import {
  type NoticeWishes,
  type ReplyPlace,
  settleWishes,
} from '../configuration/notification-preferences.ts';
import { readSlackTrouble } from '../posting/slack-trouble.ts';
import { threadOf } from './run-thread.ts';

export type PlanParts = {
  client: Pick<WebClient, 'users'>;
  watchers: Pick<RequestWatchers, 'list'>;
  settings: Pick<Settings, 'read'>;
};

/** `quietUntil`: when this person's quiet hours end (epoch milliseconds), if they are going on. */
type Told = { userId: string; reply: ReplyPlace; quietUntil: number | undefined };

/**
 * Who is told of the end: one reply in the thread that names people, and direct messages. Quiet hours make a direct
 * message wait; a thread cannot wait for one of several people, so that they get a direct message instead.
 */
export async function planEnd(parts: PlanParts, request: RunRequest): Promise<Planned> {
  try {
    const now = Date.now();
    const people = await peopleToTell(parts, request, now);
    const { toChannel } = await settleWishes(parts.settings, askerOf(request, ''));
    const isAwake = ({ quietUntil }: Told) => quietUntil === undefined;
    const inThread = people.filter(({ reply }) => reply === 'thread' || reply === 'both');
    const names = inThread.filter(isAwake).map(({ userId }) => userId);
    const direct = people.filter(
      (each) => each.reply === 'direct' || each.reply === 'both' || !isAwake(each),
    );
    // A channel that wants to see ends sees them also when nobody is to be named.
    const isShown = toChannel && threadOf(request)?.channelId.startsWith('D') === false;
    // Without a message nothing else would say that it is over.
    const isSilent = threadOf(request) === undefined && people.length === 0;
    const notices = [
      ...(isSilent ? [asDirect(request, request.creatorId, now)] : []),
      ...(names.length > 0 || isShown ? [inTheThread(request, names, isShown, now)] : []),
      ...direct.map(({ userId, quietUntil }) => asDirect(request, userId, quietUntil ?? now)),
    ];
    return { outcome: 'planned', notices };
  } catch (error) {
    const trouble = readSlackTrouble(error);
    if (trouble.outcome === 'later') return trouble;
    throw error;
  }
}

/** Only the creator, in one place, and when their quiet hours are over. */
export async function planNudge(parts: PlanParts, request: RunRequest): Promise<Planned> {
  try {
    const now = Date.now();
    const people = await peopleToTell(parts, request, now);
    const creator = people.find(({ userId }) => userId === request.creatorId);
    if (!creator) return { outcome: 'planned', notices: [] };
    const { userId, reply, quietUntil } = creator;
    const isInThread = reply === 'thread';
    const notice: NewNotice = {
      requestId: request.id,
      kind: 'nudge',
      key: `nudge ${isInThread ? 'thread' : userId}`,
      userId: isInThread ? null : userId,
      names: [userId],
      toChannel: false,
      dueAt: quietUntil ?? now,
    };
    return { outcome: 'planned', notices: [notice] };
  } catch (error) {
    const trouble = readSlackTrouble(error);
    if (trouble.outcome === 'later') return trouble;
    throw error;
  }
}

const common = ({ id }: RunRequest) => ({ requestId: id, kind: 'end' as const });

function inTheThread(
  request: RunRequest,
  names: string[],
  toChannel: boolean,
  dueAt: number,
): NewNotice {
  const key = `${endRound(request)}thread`;
  return { ...common(request), key, userId: null, names, toChannel, dueAt };
}

function asDirect(request: RunRequest, userId: string, dueAt: number): NewNotice {
  const key = `${endRound(request)}${userId}`;
  return { ...common(request), key, userId, names: [userId], toChannel: false, dueAt };
}

/** The creator, unless they do not want it, then those who pressed *Notify me*: that counts also over "none". */
async function peopleToTell(parts: PlanParts, request: RunRequest, now: number): Promise<Told[]> {
  const { creatorId } = request;
  const said = new Map<string, { wants: boolean; hasAsked: boolean }>();
  said.set(creatorId, { wants: request.origin?.notify !== false, hasAsked: false });
  for (const { userId, wants } of await parts.watchers.list(request.id)) {
    said.set(userId, { wants, hasAsked: wants });
  }
  const wanting = [...said].filter(([, { wants }]) => wants);
  const people = await Promise.all(
    wanting.map(async ([userId, { hasAsked }]) => {
      const { reply, quiet } = await settleWishes(parts.settings, askerOf(request, userId));
      const place: ReplyPlace = reply === 'none' && hasAsked ? 'thread' : reply;
      return { userId, reply: place, quietUntil: await quietUntil(parts, userId, quiet, now) };
    }),
  );
  return people.filter(({ reply }) => reply !== 'none');
}

const askerOf = ({ teamId, channelId }: RunRequest, userId: string) => ({
  ...{ teamId, channelId, userId },
});

async function quietUntil(
  { client }: PlanParts,
  userId: string,
  quiet: NoticeWishes['quiet'],
  now: number,
): Promise<number | undefined> {
  if (!quiet) return undefined;
  const timeZone = await readTimeZone(client, userId);
  return endOfHours(now, quiet, timeZone);
}

/** @throws what Slack may answer better later */
async function readTimeZone(client: PlanParts['client'], userId: string): Promise<string> {
  try {
    const { user } = await client.users.info({ user: userId });
    return knownTimeZone(user?.tz);
  } catch (error) {
    if (readSlackTrouble(error).outcome === 'later') throw error;
    return knownTimeZone(undefined);
  }
}
