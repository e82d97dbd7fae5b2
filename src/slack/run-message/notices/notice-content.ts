import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';

/** `end`: the run ended. `nudge`: it needs its creator. `pointer`: someone selected *Show in channel*. */
export type NoticeKind = 'end' | 'nudge' | 'pointer';

const noticeSchema = z.object({
  /** Names the end of the request, or the nudge about a question. */
  round: z.string().optional(),
  /** For a nudge, the post of the question. */
  question: z.string().optional(),
  /** Recipient of a direct message. Null posts in the thread, or in the channel for a pointer. */
  userId: z.string().nullable(),
  /** People to mention. For a pointer, the person who requested it. */
  names: z.array(z.string()),
  /** True if the reply is also shown in the channel. */
  toChannel: z.boolean(),
});
export type NoticeContent = z.infer<typeof noticeSchema>;

export const readNotice = ({ content }: Pick<OutboxRow, 'content'>): NoticeContent =>
  noticeSchema.parse(content);

/** The ID is unique per place and end, so planning a notice again changes nothing. */
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

/** A request has one pointer, even if several people ask for it. */
export const pointerId = (requestId: string): string => `${requestId} pointer thread`;

export const newPointer = (request: RunRequest, userId: string): NewPost =>
  newNotice(request, 'pointer', { userId: null, names: [userId], toChannel: true });
