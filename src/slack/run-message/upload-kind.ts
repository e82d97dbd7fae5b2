import { RunsApiError } from 'runs-client/runs-api-error';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../outbox/post-kind.ts';
import type { OutboxRow, Post } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { uploadFile } from '../files/upload-file.ts';
import { collect, findMarkedMessages } from '../posting/marked-messages.ts';
import { readWriteFailure } from '../posting/slack-budget.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { NoticePlace } from './message-metadata.ts';
import { beingReplaced, gone, type NoticeParts } from './notice-parts.ts';
import { createNoticePlaces } from './notice-places.ts';
import { ownRateLimit } from './post-notice.ts';
import { readUpload } from './upload-content.ts';
import { isUploadOf, type ReadUploadParts, readUploadedFile } from './uploaded-file.ts';

export type UploadParts = NoticeParts & ReadUploadParts & { apiUrl: string };

/** A service that hasn't returned a file by then doesn't have it any more. */
const longestWaitMs = 60 * 60_000;

/** Files of an ended run, in its thread or as a direct message: an answer that is too long for the reply, and screenshots. */
export function createUploadKind(parts: UploadParts): PostKind {
  const { client, clock, outbox } = parts;
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { request } = post;
      if (!request) return undefined;
      const message = await outbox.find(request.id);
      const content = { userId: readUpload(post).userId, names: [], toChannel: false };
      const { current } = createNoticePlaces(parts, { post, request, content, message });

      async function copies() {
        const place = await current();
        if (!place) return [];
        return collect(
          findMarkedMessages({
            ...{ client, channelId: place.channel, threadTs: place.thread_ts },
            isIt: ({ files = [] }) => files.some(({ name }) => isUploadOf(post, name)),
            sinceMs: clock.fromOwnMs(post.createdAt),
          }),
        );
      }

      return {
        instead: [],

        async post() {
          if (content.userId === null && message?.state === 'waiting') return beingReplaced;
          try {
            const place = await current();
            if (!place) return gone;
            const outcome = await upload(parts, post, request, place);
            if (outcome.outcome !== 'shared') return outcome;
            // If it isn't there yet, it's posted all the same.
            const [found = { channelId: place.channel, ts: '' }] = await copies();
            return { outcome: 'posted', place: found };
          } catch (error) {
            return readSlackFailure(error);
          }
        },

        async find() {
          try {
            const [place] = await copies();
            return place ? { outcome: 'posted', place } : { outcome: 'absent' };
          } catch (error) {
            return readSlackFailure(error);
          }
        },

        /** If it isn't known which message has the file, one of them stays. */
        async findCopies() {
          try {
            const places = await copies();
            return { outcome: 'found', places: post.place?.ts ? places : places.slice(1) };
          } catch (error) {
            return readSlackFailure(error);
          }
        },
      };
    },
  };
}

async function upload(
  parts: UploadParts,
  post: Post,
  request: RunRequest,
  place: NoticePlace,
): Promise<{ outcome: 'shared' } | PostOutcome> {
  const write = { kind: 'post', channelId: place.channel, requestId: request.id } as const;
  const waitMs = parts.budget.take({ ...write, priority: 'usual' });
  if (waitMs > 0) return { ...ownRateLimit, retryAfterMs: waitMs };
  try {
    const file = await readUploadedFile(parts, post, request);
    return file ? await uploadFile(parts, file, place) : nothingToUpload;
  } catch (error) {
    if (error instanceof RunsApiError) return afterReading(post, error);
    return readWriteFailure(parts.budget, write, error);
  }
}

function afterReading({ createdAt }: OutboxRow, { code, retryable }: RunsApiError): PostOutcome {
  const isLate = Date.now() - createdAt > longestWaitMs;
  const mayPass = retryable || code === 'timeout' || code === 'connection';
  return mayPass && !isLate
    ? { outcome: 'later', reason: code, retryAfterMs: 0, isUndone: true }
    : { outcome: 'refused', reason: code };
}

const nothingToUpload = { outcome: 'refused', reason: 'there is nothing to upload' } as const;
