import { RunsApiError } from 'runs-client/runs-api-error';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { GrantedScopes } from '../../connection/installations/granted-scopes.ts';
import { uploadFile } from '../../files/upload-file.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMessages,
  ifReadable,
  type MessagePlace,
} from '../../posting/marked-messages.ts';
import { beingReplaced } from '../../posting/post-message.ts';
import { readWriteFailure } from '../../posting/slack-budget.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import { gone, type NoticeParts } from '../notices/notice-parts.ts';
import { createNoticePlaces } from '../notices/notice-places.ts';
import { isStillNotified } from '../notices/notified-people.ts';
import { ownRateLimit } from '../notices/post-notice.ts';
import { readUpload } from './upload-content.ts';
import { isUploadOf, type ReadUploadParts, readUploadedFile } from './uploaded-file.ts';

type UploadParts = NoticeParts &
  ReadUploadParts & { apiUrl: string; granted: Pick<GrantedScopes, 'has'> };

/** A service that hasn't returned a file by then doesn't have it any more. */
const longestWaitMs = 60 * 60_000;

/** Files of an ended run, in its thread or as a direct message: an answer that is too long for the reply, and screenshots. */
export function createUploadKind(parts: UploadParts): PostKind {
  const { client, clock, outbox } = parts;
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { request } = post;
      if (!request || !parts.granted.has('files:write')) return undefined;
      const message = await outbox.find(request.id);
      const { userId } = readUpload(post);
      if (post.state === 'waiting' && userId !== null) {
        const told = { userId, message: message?.place };
        if (!(await isStillNotified(parts, request, told))) return undefined;
      }
      const content = { userId, names: [], toChannel: false };
      const { current } = createNoticePlaces(parts, { post, request, content, message });
      const isIt = ({ files = [] }: { files?: { name?: string }[] }) =>
        files.some(({ name }) => isUploadOf(post, name));

      async function* copies(): Found {
        const place = await current();
        // Files are shared by members only, who also read.
        const since = clock.fromOwnMs(post.createdAt);
        if (place) yield* ifReadable(findMessages(client, place, isIt, since));
      }

      const send = async (): Promise<PostOutcome> => {
        if (content.userId === null && message?.state === 'waiting') return beingReplaced;
        const place = await current();
        if (!place) return gone;
        const outcome = await upload(parts, post, request, place);
        if (outcome.outcome !== 'shared') return outcome;
        for await (const found of copies()) return { outcome: 'posted', place: found };
        // If it isn't there yet, it's posted all the same.
        return { outcome: 'posted', place: { channelId: place.channel, ts: '' } };
      };

      return {
        instead: [],
        post: () => send().catch(readSlackFailure),
        find: () => findFirst(copies()),

        /** If it isn't known which message has the file, one of them stays. */
        async findCopies() {
          const all = await findAll(copies());
          const isKnown = all.outcome !== 'found' || post.place?.ts;
          return isKnown ? all : { ...all, places: all.places.slice(1) };
        },
      };
    },
  };
}

async function upload(
  parts: UploadParts,
  post: Post,
  request: RunRequest,
  place: MessagePlace,
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
