import { z } from 'zod';
import type { NewPost, OutboxRow } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';

/**
 * Kind of a notice. `end` says that the run ended, and `nudge` that it needs its creator. `pointer` links to the run's
 * thread after *Share in channel*.
 */
export type NoticeKind = 'end' | 'nudge' | 'pointer';

const noticeSchema = z.object({
  /** Name of the run's end or of a question's nudge. It's part of the notice's ID. */
  round: z.string().optional(),
  /** ID of the question's post, for a nudge about a question. */
  question: z.string().optional(),
  /** Recipient of a direct message. Null for a post in the thread, or in the channel for a pointer. */
  userId: z.string().nullable(),
  /** IDs of people to mention. For a pointer, the person who selected *Share in channel*. */
  names: z.array(z.string()),
  /** True if the reply is also shown in the channel. */
  toChannel: z.boolean(),
});
export type NoticeContent = z.infer<typeof noticeSchema>;

export const readNotice = ({ content }: Pick<OutboxRow, 'content'>): NoticeContent =>
  noticeSchema.parse(content);

/** Creates a notice. Planning it again changes nothing, because its ID is the same for the same recipient and round. */
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

/** Returns the ID of a request's pointer. There is only one, even if several people select *Share in channel*. */
export const pointerId = (requestId: string): string => `${requestId} pointer thread`;

export const newPointer = (request: RunRequest, userId: string): NewPost =>
  newNotice(request, 'pointer', { userId: null, names: [userId], toChannel: true });
