import type { WebClient } from '@slack/web-api';
import { endOfHours, knownTimeZone } from 'base/time/local-time';
import { endRound } from '../../../following/progress.ts';
import { idsFor } from '../../../policy/ruling.ts';
import type { NewPost, PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { Settings } from '../../../store/people/settings.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import {
  type NotificationPreferences,
  type ReplyPlace,
  resolvePreferences,
} from '../../configuration/preferences.ts';
import type { Policies } from '../../people/policies.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import {
  closesAt,
  isAboutSpending,
  newQuestionPost,
  type OpenQuestion,
} from '../../runs/run-question.ts';
import { threadOf } from '../../runs/run-ref.ts';
import { newNotice } from './notice-content.ts';
import type { ReadNotified } from './notified-people.ts';
import { newScreenshots } from './upload-content.ts';

export type RecipientDeps = {
  client: Pick<WebClient, 'users'>;
  settings: Pick<Settings, 'readLayers'>;
  readNotified: ReadNotified;
  policies: Pick<Policies, 'caseOf'>;
};

/** Person to notify, and where. `quietUntil` is the end of their current quiet hours, in epoch milliseconds. */
type Recipient = { userId: string; reply: ReplyPlace; quietUntil: number | undefined };

/**
 * Plans the notices about a run's end. One reply in the thread mentions people, and others get direct messages. People
 * in quiet hours get a direct message afterwards, because the reply can't wait for one person.
 */
export async function planEnd(
  deps: RecipientDeps,
  request: RunRequest,
  message: PostPlace | null,
): Promise<NewPost[]> {
  const now = Date.now();
  const thread = threadOf(request, message);
  const people = await findRecipients(deps, request, now);
  const { toChannel } = await resolvePreferences(deps.settings, askerOf(request, ''));
  const isAwake = ({ quietUntil }: Recipient) => quietUntil === undefined;
  const inThread = people.filter(({ reply }) => reply === 'thread' || reply === 'both');
  const names = inThread.filter(isAwake).map(({ userId }) => userId);
  const direct = people.filter(
    (each) => each.reply === 'direct' || each.reply === 'both' || !isAwake(each),
  );
  // Post a reply for the channel even if it mentions nobody.
  const isShown = toChannel && thread?.channelId.startsWith('D') === false;
  const isReplied = names.length > 0 || isShown;
  // Notify the creator if there's no run message and nobody else is notified. Otherwise nothing would show the end.
  const isSilent = thread === undefined && people.length === 0;
  const creator = { userId: request.creatorId, quietUntil: undefined };
  const end = { round: endRound(request), toChannel: false };
  return [
    ...(isReplied
      ? [newNotice(request, 'end', { ...end, userId: null, names, toChannel: isShown })]
      : []),
    ...[...(isSilent ? [creator] : []), ...direct].map(({ userId, quietUntil = now }) =>
      newNotice(request, 'end', { ...end, userId, names: [userId] }, quietUntil),
    ),
    ...(thread ? newScreenshots(request, now) : []),
  ];
}

/** Plans one nudge for the creator, after their quiet hours. */
export async function planNudge(deps: RecipientDeps, request: RunRequest): Promise<NewPost[]> {
  const now = Date.now();
  const creator = await findCreator(deps, request, now);
  if (!creator) return [];
  const { userId, reply, quietUntil } = creator;
  const content = { userId: reply === 'thread' ? null : userId, names: [userId] };
  return [newNotice(request, 'nudge', { ...content, toChannel: false }, quietUntil ?? now)];
}

/** Returns the creator as a recipient, or undefined if they don't want notifications. */
async function findCreator(
  deps: RecipientDeps,
  request: RunRequest,
  now: number,
): Promise<Recipient | undefined> {
  const people = await findRecipients(deps, request, now);
  return people.find(({ userId }) => userId === request.creatorId);
}

/** Returns who is notified, and where. People who selected *Notify me* are notified even if their setting is "none". */
async function findRecipients(
  deps: RecipientDeps,
  request: RunRequest,
  now: number,
): Promise<Recipient[]> {
  const people = await Promise.all(
    (await deps.readNotified(request)).map(async ({ userId, optedIn }) => {
      const { reply, quiet } = await resolvePreferences(deps.settings, askerOf(request, userId));
      const place: ReplyPlace = reply === 'none' && optedIn ? 'thread' : reply;
      return { userId, reply: place, quietUntil: await quietUntil(deps, userId, quiet, now) };
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
  { client }: RecipientDeps,
  userId: string,
  quiet: NotificationPreferences['quiet'],
  now: number,
): Promise<number | undefined> {
  if (!quiet) return undefined;
  const timeZone = await readTimeZone(client, userId);
  return endOfHours(now, quiet, timeZone);
}

/**
 * Reads the person's time zone. Returns UTC if Slack doesn't know the person.
 * @throws temporary Slack errors
 */
async function readTimeZone(client: RecipientDeps['client'], userId: string): Promise<string> {
  try {
    const { user } = await client.users.info({ user: userId });
    return knownTimeZone(user?.tz);
  } catch (error) {
    if (readSlackFailure(error).outcome === 'later') throw error;
    return knownTimeZone(undefined);
  }
}

/** Min time until a question closes for which its creator gets a warning, in ms. */
const minWarnedMs = 60_000;

/**
 * Plans the question's post in the thread. It mentions the creator, unless they want direct messages or have quiet
 * hours. Halfway to the question's end, the creator is warned once, in one place.
 */
export async function planQuestion(
  deps: RecipientDeps,
  request: RunRequest,
  open: OpenQuestion,
): Promise<NewPost[]> {
  const now = Date.now();
  const creator = await findCreator(deps, request, now);
  const isCalled =
    creator !== undefined && creator.reply !== 'direct' && creator.quietUntil === undefined;
  const called = isCalled ? [creator.userId] : [];
  return [
    newQuestionPost(request, open, await calledTo(deps, request, open, called)),
    ...(creator && (!isCalled || creator.reply === 'both')
      ? [nudge(request, open, creator, now)]
      : []),
    ...(creator ? warning(request, open, creator, now) : []),
  ];
}

/** Max people and max groups that a question mentions because of rules. */
const maxCalled = 10;

/** Returns the people and groups to mention. A question about spending also mentions those whom rules let decide. */
async function calledTo(
  { policies }: RecipientDeps,
  { teamId, channelId }: RunRequest,
  { question }: OpenQuestion,
  names: string[],
): Promise<{ names: string[]; groups?: string[] }> {
  if (!isAboutSpending(question)) return { names };
  const policy = await policies.caseOf({ teamId, channelId, userId: undefined });
  const { people, groups } = idsFor(policy, 'spend');
  return {
    names: [...new Set([...names, ...people.slice(0, maxCalled)])],
    groups: groups.slice(0, maxCalled),
  };
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
  if (closes === undefined || closes - now < minWarnedMs) return [];
  const halfWay = now + (closes - now) / 2;
  const place = { userId: reply === 'direct' ? userId : null, names: [userId] };
  return [about(request, postId, place, Math.max(halfWay, quietUntil), 'warning')];
}

/** Creates a nudge about a question. Planning it again changes nothing, because its round comes from the question. */
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
