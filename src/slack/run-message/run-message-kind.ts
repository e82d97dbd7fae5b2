import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { fingerprint } from 'base/fingerprint';
import { LRUCache } from 'lru-cache';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { KeptPost, OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { MovedReply } from '../../store/outbox/message-posts.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import { type RunRequest, updateTime } from '../../store/requests/request-row.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  ifReadable,
} from '../posting/marked-messages.ts';
import { openDirectMessage } from '../posting/post-message.ts';
import type { Priority, SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { createPermalinkReader, type ReadPermalink } from '../posting/source-message.ts';
import { openQuestion } from '../runs/run-question.ts';
import { isInThread, pointerId } from './notices/notice-content.ts';
import { type PlanNotices, planSession } from './plan-posts.ts';
import { type RunMessage, renderRunMessage } from './render-run-message.ts';
import {
  createRunMessageWriter,
  messageMark,
  placeIn,
  type RunMessageWriter,
} from './run-message-writer.ts';

type Deps = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  outbox: Pick<Outbox, 'find' | 'ofRequest' | 'planUnder'>;
  planNotices: PlanNotices;
};

/** Creates the kind of post for run messages. The run starts when its message is posted. */
export function createRunMessageKind(deps: Deps): PostKind {
  const { client, clock, budget, outbox } = deps;
  const writer = createRunMessageWriter({ client, budget });
  const readPermalink = createCachedPermalinks(client);
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { request } = post;
      if (!request) return undefined;
      const message = await render(outbox, readPermalink, post, request);
      const places = createMessagePlaces({ client, clock, writer }, post, request);
      return {
        ...places,
        post: () => places.post(message),
        instead: [],
        kept: keep(deps, writer, { post, request, message }),
      };
    },
  };
}

/** Creates a reader of permalinks that asks Slack once for each card, because a permalink never changes. */
function createCachedPermalinks(client: WebClient): ReadPermalink {
  const read = createPermalinkReader(client);
  const known = new LRUCache<string, string>(entryLimit(1_000));
  return async (place) => {
    const key = `${place.channelId} ${place.ts}`;
    const permalink = known.get(key) ?? (await read(place));
    if (permalink !== undefined) known.set(key, permalink);
    return permalink;
  };
}

/**
 * Reads the link to the open question's card. Returns undefined without a card in this channel, and the message then
 * has *Answer*.
 */
async function readQuestionLink(
  outbox: Deps['outbox'],
  readPermalink: ReadPermalink,
  request: RunRequest,
): Promise<string | undefined> {
  const question = openQuestion(request);
  const card = question && (await outbox.find(question.postId));
  const isHere = card?.state === 'posted' && card.place?.channelId === request.channelId;
  return isHere && card.place ? readPermalink(card.place) : undefined;
}

/** Renders the message. Offers *Share in channel* for a run in a thread, unless someone has already used it. */
async function render(
  outbox: Deps['outbox'],
  readPermalink: ReadPermalink,
  { place }: Post,
  request: RunRequest,
): Promise<RunMessage> {
  const isThere = (place?.channelId ?? request.channelId) === request.channelId;
  const isThread = request.origin?.threadTs !== undefined;
  const canBePointed =
    isThere && isThread && (await outbox.find(pointerId(request.id))) === undefined;
  // Show the step that follows the post, so that the message needs no update after it.
  const shown = request.step === 'accepted' ? { ...request, step: 'posted' as const } : request;
  const questionLink = await readQuestionLink(outbox, readPermalink, shown);
  return renderRunMessage(shown, { canBePointed, questionLink });
}

function priorityOf({ step, run, changeSeenAt }: RunRequest): Priority {
  // Make later changes of the pull request less urgent than other runs' messages.
  const isLater = run !== null && changeSeenAt !== null && changeSeenAt > updateTime(run);
  if (step === 'ended') return isLater ? 'usual' : 'urgent';
  if (step === 'not_started') return 'urgent';
  if (run?.state === 'BLOCKED') return 'question';
  return reportsProgress(run) ? 'progress' : 'usual';
}

/** Returns true if the message shows the steps of a run, or its place in the queue. */
function reportsProgress(run: RunRequest['run']): boolean {
  if (run?.state === 'QUEUED') return run.status_message != null;
  const { step, plan } = run?.agent_progress ?? {};
  return run?.state === 'INPROGRESS' && (Boolean(step) || (plan ?? []).length > 0);
}

function keep(
  { budget, outbox, planNotices }: Deps,
  writer: RunMessageWriter,
  { post, request, message }: { post: Post; request: RunRequest; message: RunMessage },
): KeptPost {
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
      await planSession(outbox, request, tracked);
      return await planNotices(request, tracked);
    },

    /** Plans the end reply and the question again, below the new message. A nudge isn't repeated. */
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

/** Extra time that a search for copies goes back, in ms. A duplicate may be suspected again before the first search. */
const searchMarginMs = 60 * 60_000;

/**
 * Creates functions that post and find a run message. It's posted in the requested channel or, if the app can't post
 * there, as a direct message to the creator.
 */
function createMessagePlaces(
  { client, clock, writer }: { client: WebClient; clock: SlackClock; writer: RunMessageWriter },
  post: Post,
  request: RunRequest,
) {
  const direct = () => openDirectMessage(client, request.creatorId);
  /** True if the message may already be in a channel that the app can't read. Posting there again could repeat it. */
  let isLost = false;
  const lose = () => {
    isLost = true;
  };

  async function write(message: RunMessage): Promise<PostOutcome> {
    if (post.replaced?.repost !== 'direct' && !isLost) {
      const channelId = post.replaced?.channelId ?? request.channelId;
      const inChannel = await writer.post(request, channelId, message);
      if (inChannel.outcome !== 'rejected') return inChannel;
    }
    return writer.post(request, await direct(), message);
  }

  /** Yields copies of the message, newest first in each channel. Leaves out the message that this one replaces. */
  async function* copies(sinceMs: number): Found {
    for (const channelId of [request.channelId, await direct()]) {
      const all = findMarked(client, placeIn(channelId, request), messageMark(request), sinceMs);
      for await (const found of ifReadable(all, lose))
        if (found.ts !== post.replaced?.ts) yield found;
    }
  }

  return {
    post: (message: RunMessage) => write(message).catch(readSlackFailure),

    /** Finds the message among those since the latest attempt. */
    find: () => findFirst(copies(post.beganAt ?? clock.fromOwnMs(request.acceptedAt))),

    findCopies: () =>
      findAll(copies(clock.fromOwnMs(post.suspectedAt ?? request.acceptedAt) - searchMarginMs)),
  };
}
