import type { WebClient } from '@slack/web-api';
import { atMost } from 'base/at-most';
import { fingerprint } from 'base/fingerprint';
import { LRUCache } from 'lru-cache';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { KeptPost, OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { MovedReply } from '../../store/outbox/message-posts.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import { type RunRequest, updateTime } from '../../store/requests/request-row.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  ifReadable,
} from '../posting/marked-messages.ts';
import type { Priority, SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { isInThread, pointerId } from './notices/notice-content.ts';
import { planSession, type TellParts, tellPeople } from './plan-posts.ts';
import { type RunMessage, renderRunMessage } from './render-run-message.ts';
import {
  createRunMessageWriter,
  messageMark,
  placeIn,
  type Search,
  type WriterParts,
} from './run-message-writer.ts';

type RunMessageParts = TellParts & {
  client: WebClient;
  budget: SlackBudget;
  clock: SlackClock;
  outbox: Pick<Outbox, 'find' | 'ofRequest' | 'planUnder'>;
};

const mostRemembered = 10_000;

/** The message of a request. It is kept up to date, and the run starts when it is posted. */
export function createRunMessageKind(given: RunMessageParts): PostKind {
  const parts = {
    ...given,
    refusedBlocks: new Map(),
    richTextKept: new LRUCache<string, true>(atMost(mostRemembered)),
  };
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { request } = post;
      if (!request) return undefined;
      const message = await render(parts, post, request);
      const places = createMessagePlaces(parts, post, request);
      return {
        ...places,
        post: () => places.post(message),
        instead: [],
        kept: keep(parts, post, request, message),
      };
    },
  };
}

/** Once the run is shown in the channel, that isn't offered any more. */
async function render(
  { outbox }: RunMessageParts,
  { place }: Post,
  request: RunRequest,
): Promise<RunMessage> {
  const isThere = (place?.channelId ?? request.channelId) === request.channelId;
  const isThread = request.origin?.threadTs !== undefined;
  const mayBePointed =
    isThere && isThread && (await outbox.find(pointerId(request.id))) === undefined;
  // An accepted request is posted as what it is then.
  const shown = request.step === 'accepted' ? { ...request, step: 'posted' as const } : request;
  return renderRunMessage(shown, mayBePointed);
}

function priorityOf({ step, run, changeSeenAt }: RunRequest): Priority {
  // What happened to its pull request since its end is no news of the run.
  const isLater = run !== null && changeSeenAt !== null && changeSeenAt > updateTime(run);
  if (step === 'ended') return isLater ? 'usual' : 'urgent';
  if (step === 'not_started') return 'urgent';
  if (run?.state === 'BLOCKED') return 'question';
  return reportsProgress(run) ? 'progress' : 'usual';
}

/** The steps of a run, or its place in the queue. */
function reportsProgress(run: RunRequest['run']): boolean {
  if (run?.state === 'QUEUED') return run.status_message != null;
  const { step, plan } = run?.agent_progress ?? {};
  return run?.state === 'INPROGRESS' && (Boolean(step) || (plan ?? []).length > 0);
}

function keep(
  parts: RunMessageParts & WriterParts,
  post: Post,
  request: RunRequest,
  message: RunMessage,
): KeptPost {
  const { budget, outbox } = parts;
  const writer = createRunMessageWriter(parts, request);
  const { id: requestId } = request;
  return {
    shown: fingerprint(message),

    async waitMs(kind) {
      const place = kind === 'post' ? post.replaced : post.place;
      const write = { channelId: place?.channelId ?? request.channelId, requestId };
      return kind === 'post'
        ? budget.take({ ...write, kind, priority: 'urgent' })
        : await budget.takeShared({ ...write, kind, priority: priorityOf(request) });
    },

    update: (place) => writer.update(place, message),

    async whenCurrent(tracked) {
      await planSession(parts, request, tracked);
      return await tellPeople(parts, request, tracked);
    },

    /** A reply about the end and a question are posted again below the new message; a nudge isn't. */
    async moveReplies(): Promise<MovedReply[]> {
      const suspected = { suspectedAt: Date.now(), checkAt: Date.now() };
      const replies = (await outbox.ofRequest(requestId)).filter(
        (reply) => reply.id !== requestId && isInThread(reply),
      );
      return replies
        .filter(
          ({ state, beganAt }) => state !== 'moved' && (state === 'waiting' || beganAt !== null),
        )
        .map(({ id, kind, place, replaced }) => ({
          id,
          changes: {
            state: kind === 'nudge' ? 'moved' : 'waiting',
            place: null,
            beganAt: null,
            replaced: place ? { ...place, repost: 'here' } : replaced,
            ...suspected,
          },
        }));
    },
  };
}

type PlaceParts = Search & WriterParts;

/** A duplicate may be suspected again before the first search, so searches go back further. */
const searchMarginMs = 60 * 60_000;

/** A run message is in the channel that was asked for or, if the app can't post there, in the creator's direct messages. */
function createMessagePlaces(parts: PlaceParts, post: Post, request: RunRequest) {
  const { client, clock } = parts;
  const writer = createRunMessageWriter(parts, request);
  const direct = () => openDirectMessage(client, request.creatorId);
  /** An earlier try may have posted it in the channel, where the app can't look. Another one would be a second message. */
  let isLost = false;
  const lose = () => {
    isLost = true;
  };

  async function write(message: RunMessage): Promise<PostOutcome> {
    if (post.replaced?.repost !== 'direct' && !isLost) {
      const channelId = post.replaced?.channelId ?? request.channelId;
      const inChannel = await writer.post(channelId, message);
      if (inChannel.outcome !== 'refused') return inChannel;
    }
    return writer.post(await direct(), message);
  }

  /** Newest first in each channel, without the message that this one replaces. */
  async function* copies(sinceMs: number): Found {
    for (const channelId of [request.channelId, await direct()]) {
      const all = findMarked(client, placeIn(channelId, request), messageMark(request), sinceMs);
      for await (const found of ifReadable(all, lose))
        if (found.ts !== post.replaced?.ts) yield found;
    }
  }

  return {
    post: (message: RunMessage) => write(message).catch(readSlackFailure),

    /** Since the latest try. */
    find: () => findFirst(copies(post.beganAt ?? clock.fromOwnMs(request.acceptedAt))),

    findCopies: () =>
      findAll(copies(clock.fromOwnMs(post.suspectedAt ?? request.acceptedAt) - searchMarginMs)),
  };
}
