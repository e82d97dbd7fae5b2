import { isTerminalState, type Run } from 'runs-client/contract';
import { z } from 'zod';
import { endRound } from '../../../following/progress.ts';
import type { NewPost, OutboxRow } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';

const uploadSchema = z.object({
  /** Recipient of a direct message. Null for an upload in the thread. */
  userId: z.string().nullable(),
  /** ID of the screenshot. Null to upload the whole answer. */
  screenshot: z.string().nullable(),
});
type UploadContent = z.infer<typeof uploadSchema>;

export const readUpload = ({ content }: Pick<OutboxRow, 'content'>): UploadContent =>
  uploadSchema.parse(content);

/** Delay of uploads in ms, so that they follow the reply, which people read first. */
const afterReplyMs = 1_500;

const newUpload = (request: RunRequest, content: UploadContent, dueAt: number): NewPost => ({
  id: [
    request.id,
    endRound(request),
    content.userId ?? 'thread',
    content.screenshot ?? 'answer',
  ].join(' '),
  kind: 'upload',
  teamId: request.teamId,
  requestId: request.id,
  content,
  dueAt: dueAt + afterReplyMs,
});

export const newAnswerFile = (request: RunRequest, userId: string | null, dueAt: number): NewPost =>
  newUpload(request, { userId, screenshot: null }, dueAt);

const screenshotsShown = 3;
const screenshotSchema = z.object({ artifact_uid: z.string().min(1) });

/** Plans uploads of an ended run's first screenshots, for its thread. */
export const newScreenshots = (request: RunRequest, now: number): NewPost[] =>
  screenshotsOf(request.run).map((uid) =>
    newUpload(request, { userId: null, screenshot: uid }, now),
  );

function screenshotsOf(run: Run | null): string[] {
  if (!run || !isTerminalState(run.state)) return [];
  const uids = (run.artifacts ?? [])
    .filter(({ artifact_type: type }) => type === 'SCREENSHOT')
    .flatMap(({ data }) => screenshotSchema.safeParse(data).data?.artifact_uid ?? []);
  return [...new Set(uids)].slice(0, screenshotsShown);
}
