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
} from '../../configuration/notification-preferences.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { newQuestionPost } from '../../runs/question-post.ts';
import { closesAt, type OpenQuestion } from '../../runs/run-question.ts';
import { threadOf } from '../../runs/run-thread.ts';
import { newNotice } from './notice-content.ts';
import { type NotifiedParts, readNotified } from './notified-people.ts';
import { newScreenshots } from './upload-content.ts';

export type PlanParts = NotifiedParts & {
  client: Pick<WebClient, 'users'>;
  settings: Pick<Settings, 'readLayers'>;
};

/** `quietUntil`: when this person's current quiet hours end, in epoch milliseconds. */
type Recipient = { userId: string; reply: ReplyPlace; quietUntil: number | undefined };

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
async function findCreator(
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

/** A question that closes sooner has no warning. */
const shortestWarnedMs = 60_000;

/**
 * The question in the thread, where it mentions its creator unless they want direct messages or have quiet hours. Half
 * way to its end the creator is warned once, in one place.
 */
export async function planQuestion(
  parts: PlanParts,
  request: RunRequest,
  asked: OpenQuestion,
): Promise<NewPost[]> {
  const now = Date.now();
  const creator = await findCreator(parts, request, now);
  const isCalled =
    creator !== undefined && creator.reply !== 'direct' && creator.quietUntil === undefined;
  return [
    newQuestionPost(request, asked, isCalled ? [creator.userId] : []),
    ...(creator && (!isCalled || creator.reply === 'both')
      ? [nudge(request, asked, creator, now)]
      : []),
    ...(creator ? warning(request, asked, creator, now) : []),
  ];
}

const nudge = (
  request: RunRequest,
  { postId }: OpenQuestion,
  { userId, quietUntil }: Recipient,
  now: number,
): NewPost => about(request, postId, { userId, names: [userId] }, quietUntil ?? now, 'asked');

function warning(
  request: RunRequest,
  { postId, question }: OpenQuestion,
  { userId, reply, quietUntil = 0 }: Recipient,
  now: number,
): NewPost[] {
  const closes = closesAt(question);
  if (closes === undefined || closes - now < shortestWarnedMs) return [];
  const halfWay = now + (closes - now) / 2;
  const place = { userId: reply === 'direct' ? userId : null, names: [userId] };
  return [about(request, postId, place, Math.max(halfWay, quietUntil), 'warning')];
}

/** Which round it is follows from the question, so that planning it again changes nothing. */
const about = (
  request: RunRequest,
  question: string,
  place: { userId: string | null; names: string[] },
  dueAt: number,
  round: 'asked' | 'warning',
): NewPost =>
  newNotice(
    request,
    'nudge',
    { ...place, question, round: `${round} ${question.split(' ').at(-1)}`, toChannel: false },
    dueAt,
  );
