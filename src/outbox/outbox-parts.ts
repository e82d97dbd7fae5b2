import type { Logger } from 'base/logger';
import type { MessagePosts } from '../store/outbox/message-posts.ts';
import type { Outbox } from '../store/outbox/outbox.ts';
import type { OutboxLeases } from '../store/outbox/outbox-leases.ts';
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { RemoveOutcome } from './outcomes.ts';
import type { PostKind, StatusKind } from './post-kind.ts';

export type OutboxParts = {
  leases: Pick<OutboxLeases, 'record' | 'check' | 'suspectDuplicate'>;
  outbox: Pick<Outbox, 'planUnder' | 'ofRequest'>;
  messages: MessagePosts;
  kinds: Readonly<Record<string, PostKind | StatusKind>>;
  /** Epoch milliseconds by the clock that stamps messages. */
  nowMs(): number;
  /** Deletes a message of ours; `refused` when it's already gone, or can't be deleted. */
  remove(place: PostPlace): Promise<RemoveOutcome>;
  /** A request is due: its message is posted, or it doesn't have to wait for it. */
  wakeFollower(): void;
  /** Called when a post is in Slack. `ms` is the time since it was planned. */
  onPosted?(posted: { kind: string; ms: number }): void;
  /** Called when a message shows the newest known state of its request. */
  onShown?(requestId: string): void;
  logger: Logger;
};
