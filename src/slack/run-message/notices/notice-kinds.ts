import type { WebClient } from '@slack/web-api';
import { nudgeAt } from '../../../following/expected-times.ts';
import { endRound } from '../../../following/progress.ts';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { Answer } from '../../../requests/answer.ts';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { Post, PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { Answers } from '../../../store/requests/answers.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadNames } from '../../people/people.ts';
import { beingReplaced } from '../../posting/post-message.ts';
import type { SlackBudget } from '../../posting/slack-budget.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { type ReadAnswer, readAnswerNow } from '../../runs/reading/whole-answer.ts';
import { openQuestion } from '../../runs/run-question.ts';
import { type NoticeContent, type NoticeKind, newNotice, readNotice } from './notice-content.ts';
import { isStillNotified, type ReadNotified } from './notified-people.ts';
import { createNoticePlaces, postNotice } from './post-notice.ts';
import { gone, type NoticeVersion, renderEndReply, withShort } from './render-end-reply.ts';
import { renderNudge, renderPointer, renderPointerFailure } from './render-nudge.ts';

type Notice = { request: RunRequest; content: NoticeContent; message: PostPlace | null };
type NoticeRules = {
  /** Returns true if the notice is still relevant when it's posted. */
  isWanted(notice: Notice): boolean | Promise<boolean>;
  /** Returns versions of the notice, each smaller than the last, because Slack may reject one as too long. */
  render(notice: Notice): Promise<NoticeVersion[]>;
};

type Deps = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  outbox: Pick<Outbox, 'find' | 'plan'>;
  answers: Pick<Answers, 'find'>;
  readNames: ReadNames;
  readAnswer: ReadAnswer;
  readNotified: ReadNotified;
};

/** Creates the kinds of posts about a run besides its message: end replies, nudges and pointers. */
export function createNoticeKinds(deps: Deps): Record<NoticeKind, PostKind> {
  const { client, readNames, answers, readNotified } = deps;
  const rules: Record<NoticeKind, NoticeRules> = {
    end: {
      isWanted: ({ request, content: { round, userId }, message }) =>
        endRound(request) === round &&
        (userId === null || isStillNotified(readNotified, request, { userId, message })),
      async render({ request, content }) {
        const { cancelAskedBy } = request;
        const [names, { answer, isCut }] = await Promise.all([
          readNames(cancelAskedBy === null ? [] : [cancelAskedBy]),
          readAnswerNow(deps.readAnswer, request),
        ]);
        const { userId, toChannel } = content;
        const isThreaded = request.origin?.threadTs !== undefined;
        const isElsewhere = userId !== null || (toChannel && isThreaded);
        const hasTitle = isElsewhere || toChannel || isThreaded;
        const shown = { names, answer, isCut, isElsewhere, hasTitle };
        return renderEndReply(request, content.names, shown);
      },
    },
    nudge: {
      async isWanted({ request, content: { question, names }, message }) {
        const isOpen =
          question === undefined
            ? (nudgeAt(request) ?? Number.POSITIVE_INFINITY) <= Date.now()
            : openQuestion(request)?.postId === question &&
              !isAnswered(await answers.find(question));
        const [userId] = names;
        if (!isOpen || userId === undefined) return isOpen;
        return isStillNotified(readNotified, request, { userId, message });
      },
      async render({ request, content: { names, round } }) {
        const { short, ...message } = renderNudge(request, names, { round });
        return withShort(message, short);
      },
    },
    pointer: {
      isWanted: () => true,
      async render({ request, content: { userId, names: requesters }, message }) {
        if (userId !== null) return withShort({ text: renderPointerFailure(request) });
        const at = { channel: message?.channelId ?? '', message_ts: message?.ts ?? '' };
        const { permalink = '' } = await client.chat.getPermalink(at);
        const [requester = ''] = requesters;
        const names = await readNames(requesters);
        return withShort({
          text: renderPointer(request, permalink, names.get(requester) ?? 'someone'),
        });
      },
    },
  };
  const open = (kind: NoticeKind) => (post: Post) => openNotice(deps, kind, rules[kind], post);
  return {
    end: { open: open('end') },
    nudge: { open: open('nudge') },
    pointer: { open: open('pointer') },
  };
}

const isAnswered = (answer: Answer | undefined): boolean =>
  answer?.outcome === null || answer?.outcome === 'accepted';

async function openNotice(
  deps: Deps,
  kind: NoticeKind,
  rules: NoticeRules,
  post: Post,
): Promise<OpenPost | undefined> {
  const { request } = post;
  if (!request) return undefined;
  const content = readNotice(post);
  const message = await deps.outbox.find(request.id);
  const notice = { request, content, message: message?.place ?? null };
  if (post.state === 'waiting' && !(await rules.isWanted(notice))) return undefined;
  const places = createNoticePlaces(deps, { post, request, content, message });

  let send = async (): Promise<PostOutcome> => gone;
  const prepare = async (): Promise<PostOutcome | undefined> => {
    if (content.userId === null && message?.state === 'waiting') return beingReplaced;
    const place = await places.current();
    if (!place) return gone;
    const shown = await rules.render(notice);
    send = () => postNotice(deps, { place, request, post, content }, shown);
    return undefined;
  };

  return {
    find: places.find,
    findCopies: places.findCopies,
    instead: directInsteadOf(request, kind, content),
    prepare: () => prepare().catch(readSlackFailure),
    post: () => send().catch(readSlackFailure),
  };
}

/** Returns direct messages for the people named in a notice, if its thread or channel is gone or closed. */
function directInsteadOf(request: RunRequest, kind: NoticeKind, content: NoticeContent) {
  if (content.userId !== null) return [];
  return content.names.map((userId) =>
    newNotice(request, kind, { ...content, userId, names: [userId], toChannel: false }),
  );
}
