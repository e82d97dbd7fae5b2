import { createHash } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import { readableLine, readableText } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { PostOutcome } from '../../../outbox/outcomes.ts';
import type { OpenPost, PostKind } from '../../../outbox/post-kind.ts';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { OutboxRow, Post } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Connected } from '../../configuration/connect.ts';
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
import { readWriteFailure, type SlackBudget } from '../../posting/slack-budget.ts';
import type { SlackClock } from '../../posting/slack-clock.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';
import type { ReadAnswer } from '../../runs/reading/whole-answer.ts';
import { shorten } from '../../text/escape-text.ts';
import { isStillNotified, type ReadNotified } from './notified-people.ts';
import { createNoticePlaces, ownRateLimit } from './post-notice.ts';
import { gone } from './render-end-reply.ts';
import { readUpload } from './upload-content.ts';

type Deps = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  outbox: Pick<Outbox, 'find'>;
  granted: Pick<GrantedScopes, 'has'>;
  apiUrl: string;
  readFile: ReadFile;
  readNotified: ReadNotified;
};

/** Time after which the app gives up on a file that the runs service doesn't return, in ms. */
const longestWaitMs = 60 * 60_000;

/**
 * Creates the posts that upload an ended run's long answer and screenshots, in its thread or as a direct message. The
 * end reply has only the beginning of a long answer.
 */
export function createUploadKind(deps: Deps): PostKind {
  const { client, clock, outbox, granted, readNotified } = deps;
  return {
    async open(post): Promise<OpenPost | undefined> {
      const { request } = post;
      if (!request || !granted.has('files:write')) return undefined;
      const message = await outbox.find(request.id);
      const { userId } = readUpload(post);
      if (post.state === 'waiting' && userId !== null) {
        const recipient = { userId, message: message?.place };
        if (!(await isStillNotified(readNotified, request, recipient))) return undefined;
      }
      const content = { userId, names: [], toChannel: false };
      const { current } = createNoticePlaces(
        { client, clock },
        { post, request, content, message },
      );
      const isIt = ({ files = [] }: { files?: { name?: string }[] }) =>
        files.some(({ name }) => isUploadOf(post, name));

      async function* copies(): Found {
        const place = await current();
        // Ignore unreadable conversations. The app can share files only where it's a member, and there it can read.
        const since = clock.fromOwnMs(post.createdAt);
        if (place) yield* ifReadable(findMessages(client, place, isIt, since));
      }

      const send = async (): Promise<PostOutcome> => {
        if (content.userId === null && message?.state === 'waiting') return beingReplaced;
        const place = await current();
        if (!place) return gone;
        const outcome = await upload(deps, post, request, place);
        if (outcome.outcome !== 'shared') return outcome;
        for await (const found of copies()) return { outcome: 'posted', place: found };
        // Treat the file as posted even if no message is found, because Slack shares it a moment later.
        return { outcome: 'posted', place: { channelId: place.channel, ts: '' } };
      };

      return {
        instead: [],
        post: () => send().catch(readSlackFailure),
        find: () => findFirst(copies()),

        /**
         * Finds copies of the file. If it isn't known which copy was posted first, leaves out the first one found, so
         * that it stays.
         */
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
  { client, apiUrl, budget, readFile }: Deps,
  post: Post,
  request: RunRequest,
  place: MessagePlace,
): Promise<{ outcome: 'shared' } | PostOutcome> {
  const write = { kind: 'post', channelId: place.channel, requestId: request.id } as const;
  const waitMs = budget.take({ ...write, priority: 'usual' });
  if (waitMs > 0) return { ...ownRateLimit, retryAfterMs: waitMs };
  try {
    const file = await readFile(post, request);
    return file ? await uploadFile({ client, apiUrl }, file, place) : nothingToUpload;
  } catch (error) {
    if (error instanceof RunsApiError) return afterReading(post, error);
    return readWriteFailure(budget, write, error);
  }
}

function afterReading({ createdAt }: OutboxRow, { code, retryable }: RunsApiError): PostOutcome {
  const isLate = Date.now() - createdAt > longestWaitMs;
  const canPass = retryable || code === 'timeout' || code === 'connection';
  return canPass && !isLate
    ? { outcome: 'later', reason: code, retryAfterMs: 0, isUndone: true }
    : { outcome: 'rejected', reason: code };
}

const nothingToUpload = { outcome: 'rejected', reason: 'there is nothing to upload' } as const;

const maxBytes = 10 * 1024 * 1024;
const titleLimit = 200;
/** Max length of alt text. Slack rejects more than 1,000 characters. */
const altTextLimit = 900;

/**
 * Reads the file to upload. Returns undefined if there is none.
 * @throws RunsApiError
 */
type ReadFile = (post: OutboxRow, request: RunRequest) => Promise<UploadedFile | undefined>;

type Artifact = Awaited<ReturnType<Connected['artifacts']['get']>>['data'];
type Artifacts = {
  get(
    uid: string,
    options: { timeoutMs: number; maxRetries: number },
  ): PromiseLike<{
    data: Pick<Artifact, 'content_type' | 'download_url' | 'description' | 'title'>;
  }>;
  download(url: string, options: { maxBytes: number }): PromiseLike<{ bytes: Buffer }>;
};

/** Reads the file that a post uploads: a screenshot from the runs service, or the whole answer. */
export function createUploadReader(
  connect: (connectionId: string) => Promise<{ artifacts: Artifacts }>,
  readAnswer: ReadAnswer,
): ReadFile {
  return async (post, request) => {
    const { screenshot } = readUpload(post);
    if (screenshot !== null)
      return readScreenshot(await connect(request.connectionId), post, screenshot);
    const answer = await readAnswer(request);
    if (!answer) return undefined;
    return {
      name: `answer-${markOf(post)}.md`,
      title: shorten(`Answer: ${request.title}`, titleLimit),
      bytes: Buffer.from(readableText(answer)),
    };
  };
}

const imageTypes = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/**
 * Reads a screenshot. Accepts only images, because Slack would show anything else from the agent as a file of the app.
 */
async function readScreenshot(
  { artifacts }: { artifacts: Artifacts },
  post: OutboxRow,
  uid: string,
): Promise<UploadedFile | undefined> {
  const { data } = await artifacts.get(uid, { timeoutMs: 5_000, maxRetries: 0 });
  const extension = imageTypes.get(data.content_type?.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!extension || !data.download_url) return undefined;
  const { bytes } = await artifacts.download(data.download_url, { maxBytes });
  if (bytes.length === 0) return undefined;
  const description = shownText(data.description ?? data.title ?? '');
  const altText = shorten(readableLine(description), altTextLimit);
  return {
    name: `screenshot-${markOf(post)}.${extension}`,
    title: shorten(altText, titleLimit) || 'Screenshot',
    ...(altText && { altText }),
    bytes,
  };
}

/** Returns the mark in a file's name, by which an upload is found again. Slack has no idempotency key for uploads. */
const markOf = ({ id }: Pick<OutboxRow, 'id'>) =>
  createHash('sha256').update(id).digest('hex').slice(0, 10);

const isUploadOf = (post: Pick<OutboxRow, 'id'>, name: string | undefined): boolean =>
  name?.includes(`-${markOf(post)}.`) === true;
