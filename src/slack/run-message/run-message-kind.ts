import type { WebClient } from '@slack/web-api';
import { atMost } from 'base/at-most';
import { fingerprint } from 'base/fingerprint';
import { LRUCache } from 'lru-cache';
import type { KeptPost, OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { MovedReply } from '../../store/outbox/message-posts.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import { type RunRequest, updateTime } from '../../store/requests/request-row.ts';
import type { Priority, SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { createMessagePlaces } from './message-places.ts';
import { isInThread, pointerId } from './notices/notice-content.ts';
import { type TellParts, tellPeople } from './notices/tell-people.ts';
import { planSession } from './plan-session.ts';
import { type RunMessage, renderRunMessage } from './rendering/render-run-message.ts';
import { createRunMessageWriter, type WriterParts } from './run-message-writer.ts';

export type RunMessageParts = TellParts & {
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
