import { nudgeAt } from '../../../following/expected-times.ts';
import { endRound } from '../../../following/progress.ts';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { Answer } from '../../../requests/answer.ts';
import type { Post, PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { beingReplaced } from '../../posting/post-message.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { readAnswerNow } from '../../runs/reading/whole-answer.ts';
import { openQuestion } from '../../runs/run-question.ts';
import { type NoticeContent, type NoticeKind, newNotice, readNotice } from './notice-content.ts';
import { isStillNotified } from './notified-people.ts';
import { createNoticePlaces, postNotice } from './post-notice.ts';
import {
  gone,
  type NoticeParts,
  type NoticeVersion,
  renderEndReply,
  withShort,
} from './render-end-reply.ts';
import { renderNudge, renderPointer, renderPointerFailure } from './render-nudge.ts';

type Notice = { request: RunRequest; content: NoticeContent; message: PostPlace | null };
type NoticeRules = {
  /** Whether it still makes sense to post it. */
  isWanted(notice: Notice): boolean | Promise<boolean>;
  /** Each version is less than the one before, in case that is too much for Slack. */
  render(notice: Notice): Promise<NoticeVersion[]>;
};

/** Posts about a run besides its message: in its thread, its channel or direct messages. */
export function createNoticeKinds(parts: NoticeParts): Record<NoticeKind, PostKind> {
  const { client, readNames, answers } = parts;
  const rules: Record<NoticeKind, NoticeRules> = {
    end: {
      isWanted: ({ request, content: { round, userId }, message }) =>
        endRound(request) === round &&
        (userId === null || isStillNotified(parts, request, { userId, message })),
      async render({ request, content }) {
        const { cancelAskedBy } = request;
        const [known, { answer, isCut }] = await Promise.all([
          readNames(cancelAskedBy === null ? [] : [cancelAskedBy]),
          readAnswerNow(parts.readAnswer, request),
        ]);
        return renderEndReply(request, content.names, { known, answer, isCut });
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
        return isStillNotified(parts, request, { userId, message });
      },
      render: async ({ request, content }) =>
        withShort(renderNudge(request, content.names, content.round)),
    },
    pointer: {
      isWanted: () => true,
      async render({ request, content: { userId, names }, message }) {
        if (userId !== null) return withShort({ text: renderPointerFailure(request) });
        const at = { channel: message?.channelId ?? '', message_ts: message?.ts ?? '' };
        const { permalink = '' } = await client.chat.getPermalink(at);
        const [asker = ''] = names;
        const known = await readNames(names);
        return withShort({
          text: renderPointer(request, permalink, known.get(asker) ?? 'someone'),
        });
      },
    },
  };
  const open = (kind: NoticeKind) => (post: Post) => openNotice(parts, kind, rules[kind], post);
  return {
    end: { open: open('end') },
    nudge: { open: open('nudge') },
    pointer: { open: open('pointer') },
  };
}

const isAnswered = (answer: Answer | undefined): boolean =>
  answer?.outcome === null || answer?.outcome === 'accepted';

async function openNotice(
  parts: NoticeParts,
  kind: NoticeKind,
  rules: NoticeRules,
  post: Post,
): Promise<OpenPost | undefined> {
  const { request } = post;
  if (!request) return undefined;
  const content = readNotice(post);
  const message = await parts.outbox.find(request.id);
  const notice = { request, content, message: message?.place ?? null };
  if (post.state === 'waiting' && !(await rules.isWanted(notice))) return undefined;
  const places = createNoticePlaces(parts, { post, request, content, message });

  let send = async (): Promise<PostOutcome> => gone;
  const prepare = async (): Promise<PostOutcome | undefined> => {
    if (content.userId === null && message?.state === 'waiting') return beingReplaced;
    const place = await places.current();
    if (!place) return gone;
    const shown = await rules.render(notice);
    send = () => postNotice(parts, { place, request, post, content }, shown);
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

/** If the thread or channel is gone or closed, the people named there get direct messages. */
function directInsteadOf(request: RunRequest, kind: NoticeKind, content: NoticeContent) {
  if (content.userId !== null) return [];
  return content.names.map((userId) =>
    newNotice(request, kind, { ...content, userId, names: [userId], toChannel: false }),
  );
}
