import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { KeptPost, OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { TrackedPost } from '../../outbox/track-post.ts';
import { type PolicyCase, rulesThatAllow, rulingOn } from '../../policy/ruling.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { OutboxRow, Post, PostPlace } from '../../store/outbox/outbox-row.ts';
import type { Answers } from '../../store/requests/answers.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { ReadNames } from '../people/people.ts';
import type { Policies } from '../people/policies.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  ifReadable,
  type MessagePlace,
} from '../posting/marked-messages.ts';
import { beingReplaced, openDirectMessage, postMessage } from '../posting/post-message.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { outcomeOf, readSlackFailure } from '../posting/slack-failure.ts';
import {
  closesAt,
  isAboutSpending,
  type QuestionContent,
  readQuestionPost,
} from '../runs/run-question.ts';
import { threadOf } from '../runs/run-ref.ts';
import { escapeText } from '../text/escape-text.ts';
import {
  type QuestionMessage,
  type QuestionStatus,
  questionStatus,
  renderQuestion,
} from './render-question.ts';

type Deps = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  outbox: Pick<Outbox, 'find' | 'planUnder'>;
  answers: Pick<Answers, 'find'>;
  readNames: ReadNames;
  policies: Pick<Policies, 'caseOf'>;
};

/**
 * Outcome of a post that must wait, and of which nothing was written yet. Not logged, because the operator has nothing
 * to do.
 */
const untilLater = { outcome: 'later', isUndone: true, isQuiet: true } as const;
/** Outcome while an answer is being sent. Posting the card waits, because a rejected answer reopens the question. */
const beingSent = { ...untilLater, reason: 'its answer is being sent', retryAfterMs: 0 };

/**
 * Time between updates of a card in a closed channel, in ms. The card can't be removed, and the channel may open again.
 */
const updateRetryMs = 30_000;
const updateRetriesEndMs = 60 * 60_000;

/**
 * Creates the posts of agents' questions in their runs' threads. A card is updated when its question is answered or
 * closed.
 */
export function createQuestionKind(deps: Deps): PostKind {
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { id: postId, request } = post;
      if (!request) return undefined;
      const [message, answer] = await Promise.all([
        deps.outbox.find(request.id),
        deps.answers.find(postId),
      ]);
      const content = readQuestionPost(post);
      const status = questionStatus({ postId, content, request, answer }, Date.now());
      const isOver = status !== 'open' && status !== 'sending';
      // Don't post a question that was closed before anyone saw it.
      if (post.state === 'waiting' && post.beganAt === null && isOver) return undefined;
      const isElsewhere = post.place !== null && post.place.channelId !== request.channelId;
      const hasTitle = isElsewhere || request.origin?.threadTs !== undefined;
      const who = status === 'open' ? await readAnswerers(deps, request, content) : '';
      const shown = renderQuestion({ postId, who, hasTitle, request, content, status, answer });
      const places = createQuestionPlaces(deps, { post, request, message });
      return {
        find: places.find,
        findCopies: places.findCopies,
        prepare: async () => (status === 'sending' ? beingSent : undefined),
        post: () => places.post(shown),
        instead: [],
        kept: keep(deps, post, status, shown),
      };
    },
  };
}

/** Returns a text that names who can answer. Doesn't mention them, because a mention would notify them. */
async function readAnswerers(
  { readNames, policies }: Deps,
  { teamId, channelId, creatorId, origin }: RunRequest,
  { question }: QuestionContent,
): Promise<string> {
  const [names, policy] = await Promise.all([
    readNames([creatorId]),
    policies.caseOf({ teamId, channelId, userId: undefined }),
  ]);
  if (isAboutSpending(question)) return spendersOf(policy);
  const creator = escapeText(names.get(creatorId) ?? "the run's creator", 100);
  const isByWorkflow = origin?.kind === 'workflow';
  const rules = rulesThatAllow(policy, 'answer').slice(0, rulesShown);
  const all = [
    ...(isByWorkflow && !origin.workflow?.hasPerson ? [] : [creator]),
    ...(isByWorkflow ? ['workspace admins'] : []),
    ...rules.map((name) => `people in the rule "${escapeText(name, 100)}"`),
  ];
  return onlyThese(all);
}

/** Returns a text that names who can allow more spending. */
function spendersOf(policy: PolicyCase): string {
  const rules = rulesThatAllow(policy, 'spend').slice(0, rulesShown);
  // Leave out admins if a rule decides for everyone.
  const admins = rulingOn(policy, 'spend').rule ? [] : ['workspace admins'];
  const all = [...admins, ...rules.map((name) => `people in the rule "${escapeText(name, 100)}"`)];
  if (all.length === 0) return 'By the rules, no one can answer';
  // The question mentions people whom rules name, but no admins.
  return `${onlyThese(all)}${rules.length === 0 ? ', so mention one' : ''}`;
}

function onlyThese(all: readonly string[]): string {
  const [first = '', ...others] = all;
  if (others.length === 0) return `Only ${first} can answer`;
  const list = `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
  return `${list.charAt(0).toUpperCase()}${list.slice(1)} can answer`;
}

const rulesShown = 3;

function keep(
  { client, budget, outbox }: Deps,
  post: Post,
  status: QuestionStatus,
  message: QuestionMessage,
): KeptPost {
  const content = readQuestionPost(post);
  return {
    shown: fingerprint(message),

    async waitMs(kind) {
      const channelId = post.place?.channelId ?? post.request?.channelId ?? '';
      const write = { channelId, requestId: post.id, priority: 'question' } as const;
      return kind === 'post'
        ? budget.take({ ...write, kind })
        : await budget.takeShared({ ...write, kind });
    },

    async update({ channelId, ts }) {
      try {
        await client.chat.update({ channel: channelId, ts, ...message });
        return { outcome: 'shown' };
      } catch (error) {
        const failure = readWriteFailure(budget, { kind: 'update', channelId }, error);
        if (failure.outcome !== 'rejected') return failure;
        const { reason } = failure;
        const answer = outcomeOf('update', reason);
        if (answer === 'shorter') return { outcome: 'rejected', reason };
        const isOld = Date.now() - post.createdAt > updateRetriesEndMs;
        if (answer === 'direct' && status !== 'open' && !isOld)
          return { ...untilLater, reason, retryAfterMs: updateRetryMs };
        // Replace an open card that can't be edited. Remove a closed one, because its buttons would stay. Don't
        // replace a deleted card, because the run message then has *Answer*.
        return { outcome: 'gone', reason, repost: answer === 'repost' ? 'here' : null };
      }
    },

    async whenCurrent(tracked) {
      const closes = closesAt(content.question) ?? null;
      if (status === 'open') {
        await linkFromMessage(outbox, tracked);
        return { outcome: 'planned', dueAt: closes };
      }
      const isEnd = status === 'expired' || status === 'elsewhere' || status === 'over';
      // Store the end, so that later changes of the run don't change the card.
      if (isEnd && !content.closed) tracked.note({ content: { ...content, closed: status } });
      return { outcome: 'planned', dueAt: null };
    },

    moveReplies: async () => [],
  };
}

/**
 * Plans an update of the run message, so that it links to the card. Done once for each time that the card is posted.
 */
async function linkFromMessage(
  outbox: Pick<Outbox, 'planUnder'>,
  { post, record }: TrackedPost,
): Promise<void> {
  const content = readQuestionPost(post);
  const { place, requestId } = post;
  if (!place || requestId === null || content.linked === place.ts) return;
  await record({ content: { ...content, linked: place.ts } }, (lease, changes) =>
    outbox.planUnder(lease, changes, [], [requestId]),
  );
}

/**
 * Creates functions that post and find a question's card. It's posted in the run's thread or, if the app can't post
 * there, as a direct message to the creator.
 */
function createQuestionPlaces(
  { client, clock, budget }: Deps,
  { post, request, message }: { post: Post; request: RunRequest; message: OutboxRow | undefined },
) {
  const mark = { event_type: 'slash_agent_question', event_payload: { post: post.id } };
  const inThread = (found: PostPlace | null | undefined): MessagePlace[] => {
    const thread = threadOf(request, found);
    return thread ? [{ channel: thread.channelId, thread_ts: thread.ts }] : [];
  };
  const direct = async (): Promise<MessagePlace> => ({
    channel: await openDirectMessage(client, request.creatorId),
  });

  /** True if the card may already be in a thread that the app can't read. Posting there again could repeat it. */
  let isLost = false;
  const lose = () => {
    isLost = true;
  };

  async function send(shown: QuestionMessage): Promise<PostOutcome> {
    if (message?.state === 'waiting') return beingReplaced;
    for (const place of isLost ? [] : inThread(message?.place)) {
      const outcome = await postMessage({ client, budget }, place, mark, shown);
      if (outcome.outcome !== 'rejected') return outcome;
    }
    return postMessage({ client, budget }, await direct(), mark, shown);
  }

  /** Yields copies of the card, except the card that this one replaces. */
  async function* copies(threads: readonly MessagePlace[]): Found {
    const sinceMs = clock.fromOwnMs(post.createdAt);
    for (const place of [...threads, await direct()])
      for await (const found of ifReadable(findMarked(client, place, mark, sinceMs), lose))
        if (found.ts !== post.replaced?.ts) yield found;
  }

  return {
    post: (shown: QuestionMessage) => send(shown).catch(readSlackFailure),
    find: () => findFirst(copies(inThread(message?.place))),
    findCopies: () =>
      findAll(copies([...inThread(message?.place), ...inThread(message?.replaced)])),
  };
}
