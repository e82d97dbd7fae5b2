import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';

/** The run ended, it needs its creator, or someone pressed *Show in channel*. */
export type NoticeKind = 'end' | 'nudge' | 'pointer';

const noticeSchema = z.object({
  /** Which end of the request it tells of, or which nudge about a question. */
  round: z.string().optional(),
  /** For a nudge: the post of the question that it's about. */
  question: z.string().optional(),
  /** Who gets it as a direct message; null for the thread, or the channel in case of a pointer. */
  userId: z.string().nullable(),
  /** Who is mentioned; for a pointer, who asked for it. */
  names: z.array(z.string()),
  /** Also shown in the channel. */
  toChannel: z.boolean(),
});
export type NoticeContent = z.infer<typeof noticeSchema>;

export const readNotice = ({ content }: Pick<OutboxRow, 'content'>): NoticeContent =>
  noticeSchema.parse(content);

/** The id is unique per place and end, so that planning a notice again changes nothing. */
export const newNotice = (
  { id, teamId }: Pick<RunRequest, 'id' | 'teamId'>,
  kind: NoticeKind,
  content: NoticeContent,
  dueAt = Date.now(),
): NewPost => ({
  id: [id, content.round ?? kind, content.userId ?? 'thread'].join(' '),
  kind,
  teamId,
  requestId: id,
  content,
  dueAt,
});

export const isInThread = ({ kind, content }: Pick<OutboxRow, 'kind' | 'content'>): boolean =>
  kind === 'question' ||
  ((kind === 'end' || kind === 'nudge') && readNotice({ content }).userId === null);

/** One per request, however many people ask. */
export const pointerId = (requestId: string): string => `${requestId} pointer thread`;

export const newPointer = (request: RunRequest, userId: string): NewPost =>
  newNotice(request, 'pointer', { userId: null, names: [userId], toChannel: true });
