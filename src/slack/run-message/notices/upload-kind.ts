import { createHash } from 'node:crypto';
import { readableLine, readableText } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { GrantedScopes } from '../../connection/installations/granted-scopes.ts';
import { type UploadedFile, uploadFile } from '../../files/upload-file.ts';
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
import type { Connect, Connected } from '../../runs/reading/connect.ts';
import type { ReadAnswer } from '../../runs/reading/whole-answer.ts';
import { shorten } from '../../text/escape-text.ts';
import { isStillNotified } from './notified-people.ts';
import { createNoticePlaces, ownRateLimit } from './post-notice.ts';
import { gone, type NoticeParts } from './render-end-reply.ts';
import { readUpload } from './upload-content.ts';

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

type ReadUploadParts = { connect: Connect; readAnswer: ReadAnswer };

const maxBytes = 10 * 1024 * 1024;
const titleLimit = 200;
/** Slack takes 1,000 characters. */
const altTextLimit = 900;

/** Undefined if there is nothing that may be uploaded. @throws RunsApiError */
async function readUploadedFile(
  parts: ReadUploadParts,
  post: OutboxRow,
  request: RunRequest,
): Promise<UploadedFile | undefined> {
  const { screenshot } = readUpload(post);
  if (screenshot !== null)
    return readScreenshot(await parts.connect(request.connectionId), post, screenshot);
  const answer = await parts.readAnswer(request);
  if (!answer) return undefined;
  return {
    name: `answer-${markOf(post)}.md`,
    title: shorten(`Answer: ${request.title}`, titleLimit),
    bytes: Buffer.from(readableText(answer)),
  };
}

const imageTypes = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/** Images only: Slack would show anything else that an agent left as a file of the app. */
async function readScreenshot(
  { artifacts }: Pick<Connected, 'artifacts'>,
  post: OutboxRow,
  uid: string,
): Promise<UploadedFile | undefined> {
  const { data } = await artifacts.get(uid, { timeoutMs: 5_000, maxRetries: 0 });
  const extension = imageTypes.get(data.content_type?.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!extension || !data.download_url) return undefined;
  const { bytes } = await artifacts.download(data.download_url, { maxBytes });
  if (bytes.length === 0) return undefined;
  const about = shownText(data.description ?? data.title ?? '');
  const words = shorten(readableLine(about), altTextLimit);
  return {
    name: `screenshot-${markOf(post)}.${extension}`,
    title: shorten(words, titleLimit) || 'Screenshot',
    ...(words && { altText: words }),
    bytes,
  };
}

/** Slack has no idempotency key for uploads, so a file is found by its name. */
const markOf = ({ id }: Pick<OutboxRow, 'id'>) =>
  createHash('sha256').update(id).digest('hex').slice(0, 10);

const isUploadOf = (post: Pick<OutboxRow, 'id'>, name: string | undefined): boolean =>
  name?.includes(`-${markOf(post)}.`) === true;
