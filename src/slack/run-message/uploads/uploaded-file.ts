import { createHash } from 'node:crypto';
import { readableLine, readableText } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import type { OutboxRow } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Connect, Connected } from '../../configuration/connect.ts';
import type { UploadedFile } from '../../files/upload-file.ts';
import type { ReadAnswer } from '../../runs/reading/whole-answer.ts';
import { shorten } from '../../text/escape-text.ts';
import { readUpload } from './upload-content.ts';

export type ReadUploadParts = { connect: Connect; readAnswer: ReadAnswer };

const maxBytes = 10 * 1024 * 1024;
const titleLimit = 200;
/** Slack takes 1,000 characters. */
const altTextLimit = 900;

/** Undefined if there is nothing that may be uploaded. @throws RunsApiError */
export async function readUploadedFile(
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

export const isUploadOf = (post: Pick<OutboxRow, 'id'>, name: string | undefined): boolean =>
  name?.includes(`-${markOf(post)}.`) === true;
