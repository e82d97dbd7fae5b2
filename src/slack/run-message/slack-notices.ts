import type { KnownBlock } from '@slack/types';
import type { SlackNotices } from '../../following/notices-port.ts';
import type { MessagePlace, PostOutcome } from '../../following/run-messages.ts';
import type { Notice } from '../../store/outbox/notices.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { ReadNames } from '../people/people.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import { outcomeOf, readSlackFailure } from '../posting/slack-failure.ts';
import { startedReaction } from '../posting/source-message.ts';
import {
  findNotice,
  findNoticesSince,
  type NoticePlace,
  noticeMetadata,
  type Search,
} from './message-metadata.ts';
import { type PlanParts, planEnd, planNudge } from './plan-notices.ts';
import { renderEndReply, shortEndReply } from './render-end-reply.ts';
import { renderNudge } from './render-nudge.ts';
import { renderPointer, renderPointerFailure } from './render-pointer.ts';
import { replacedThreadOf, threadOf } from './run-thread.ts';
import { hasFailed } from './run-trouble.ts';

type NoticeMessage = { text: string; blocks?: KnownBlock[] };
type NoticeParts = PlanParts & Search & { budget: SlackBudget; readNames: ReadNames };

/** Posts about a run besides its message: in its thread, its channel or direct messages. */
export function createSlackNotices(parts: NoticeParts): SlackNotices {
  const { client, budget, readNames } = parts;
  return {
    planEnd: (request) => planEnd(parts, request),
    planNudge: (request) => planNudge(parts, request),

    async post(request, notice) {
      try {
        const place = await placeOf(request, notice);
        if (!place) return gone;
        const message = await render(request, notice);
        const first = await postTo(place, message, request, notice);
        const isTooLong =
          first.outcome === 'refused' && outcomeOf('reply', first.reason) === 'shorter';
        const shorter = { text: shortEndReply(message.text) };
        return isTooLong ? await postTo(place, shorter, request, notice) : first;
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async find(request, notice) {
      try {
        const place = await placeOf(request, notice);
        const found = place && (await findNotice(parts, place, request, notice));
        return found ? { outcome: 'posted', place: found } : { outcome: 'absent' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async findDuplicates(request, notice) {
      try {
        const [place, lost] = [await placeOf(request, notice), replacedPlaceOf(request, notice)];
        const found = place ? await findNoticesSince(parts, place, request, notice) : [];
        const before = lost ? await findNoticesSince(parts, lost, request, notice) : [];
        const isMisplaced = found.length === 0 && before.length > 0;
        const places = [...duplicatesOf(notice, place, found), ...before];
        return { outcome: 'found', places, isMisplaced };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async mark(request) {
      const source = request.origin?.source;
      if (!source || (!request.run && request.step !== 'not_started')) return;
      const place = { channel: source.channelId, timestamp: source.ts };
      const name = reactionFor(request);
      // Reactions are optional: the message may be gone, inaccessible, or marked already.
      await client.reactions.add({ ...place, name }).catch(readSlackFailure);
      for (const other of earlierReactions(request).filter((each) => each !== name)) {
        await client.reactions.remove({ ...place, name: other }).catch(readSlackFailure);
      }
    },
  };

  async function placeOf(
    request: RunRequest,
    { userId, kind }: Notice,
  ): Promise<NoticePlace | undefined> {
    if (userId !== null) return { channel: await openDirectMessage(client, userId) };
    const thread = threadOf(request);
    if (!thread) return undefined;
    return kind === 'pointer'
      ? { channel: thread.channelId }
      : { channel: thread.channelId, thread_ts: thread.ts };
  }

  async function render(request: RunRequest, notice: Notice): Promise<NoticeMessage> {
    const { kind, names } = notice;
    if (kind === 'nudge') return renderNudge(request, names);
    if (kind === 'pointer') return { text: await pointerText(request, notice) };
    return { text: renderEndReply(request, names, await readNames(cancellersOf(request))) };
  }

  async function pointerText(request: RunRequest, { userId, names }: Notice): Promise<string> {
    if (userId !== null) return renderPointerFailure(request);
    const { messageChannelId: channel, messageTs: ts } = request;
    const answer = await client.chat.getPermalink({ channel: channel ?? '', message_ts: ts ?? '' });
    const [asker = ''] = names;
    const known = await readNames(names);
    return renderPointer(request, answer.permalink ?? '', known.get(asker) ?? 'someone');
  }

  async function postTo(
    place: NoticePlace,
    message: NoticeMessage,
    request: RunRequest,
    notice: Notice,
  ): Promise<PostOutcome> {
    const { channel, thread_ts: ts } = place;
    const isShown = notice.toChannel && ts !== undefined;
    // Run messages in the same channel go first.
    const write = { kind: 'post', channelId: channel, requestId: request.id } as const;
    const waitMs = budget.take({ ...write, isUrgent: false });
    if (waitMs > 0) {
      return { ...ownRateLimit, retryAfterMs: waitMs };
    }
    try {
      const posted = await client.chat.postMessage({
        ...(isShown ? { channel, thread_ts: ts, reply_broadcast: true } : place),
        ...message,
        metadata: noticeMetadata(request, notice),
        unfurl_links: false,
        unfurl_media: false,
      });
      return { outcome: 'posted', place: { channelId: channel, ts: posted.ts ?? '' } };
    } catch (error) {
      return readWriteFailure(budget, write, error);
    }
  }
}

/** All copies but the first, or all of them if the notice moved. */
function duplicatesOf(
  { movedAt }: Notice,
  place: NoticePlace | undefined,
  found: readonly MessagePlace[],
): readonly MessagePlace[] {
  if (movedAt !== null) return found;
  // Slack returns replies oldest first, and messages newest first.
  return place?.thread_ts ? found.slice(1) : found.slice(0, -1);
}

/** The thread of a replaced run message, where a delayed post may have landed. */
function replacedPlaceOf(request: RunRequest, { userId, kind }: Notice): NoticePlace | undefined {
  const thread = userId === null && kind !== 'pointer' ? replacedThreadOf(request) : undefined;
  return thread && { channel: thread.channelId, thread_ts: thread.ts };
}

/** Our own limit, which stays below Slack's. Slack wasn't called. */
const ownRateLimit = {
  outcome: 'later',
  reason: 'own_rate_limit',
  isUndone: true,
  isQuiet: true,
} as const;

const gone = { outcome: 'refused', reason: 'the run message is gone' } as const;

const cancellersOf = ({ cancelAskedBy }: RunRequest) =>
  cancelAskedBy === null ? [] : [cancelAskedBy];

const failedReaction = 'x';
const unknownReaction = 'grey_question';

/** From earlier states: a run that wasn't started may have been tried again since. */
const earlierReactions = ({ followedSince }: RunRequest) => [
  ...[startedReaction, failedReaction],
  ...(followedSince === null ? [] : [unknownReaction]),
];

function reactionFor(request: RunRequest): string {
  if (request.problem?.code === 'gone') return unknownReaction;
  if (hasFailed(request) || request.step === 'not_started') return failedReaction;
  return request.run?.state === 'SUCCEEDED' ? 'white_check_mark' : 'no_entry_sign';
}
