import { inSpan } from 'base/in-span';
import { LeasedWork } from 'base/leased-work';
import type { OutboxLeases } from '../store/outbox/outbox-leases.ts';
import type { Post, PostChanges } from '../store/outbox/outbox-row.ts';
import type { OutboxParts } from './outbox-parts.ts';
import { trackPost } from './track-post.ts';
import { workOnPost } from './work-on-post.ts';

const leaseMs = 5_000;
const atOnce = 20;

type WorkerParts = Omit<OutboxParts, 'leases' | 'kinds' | 'remove'> & {
  /** How one workspace posts. */
  of(teamId: string): Pick<OutboxParts, 'kinds' | 'remove'>;
  leases: OutboxLeases;
};

/** Posts everything to Slack that the outbox has, once, and keeps it up to date. Any number may share a store. */
export const createOutboxWorker = (parts: WorkerParts): LeasedWork<Post, PostChanges> =>
  new LeasedWork({
    ...parts,
    what: 'post',
    atOnce,
    leaseMs,
    task(post) {
      const tracked = trackPost(parts.leases, post);
      const { teamId, requestId } = post;
      const logger = parts.logger.child({ teamId, ...(requestId !== null && { requestId }) });
      return {
        run: (signal) =>
          inSpan('post', { kind: post.kind, teamId }, () =>
            workOnPost({ ...parts, ...parts.of(teamId), logger }, tracked, signal),
          ),
        changes: tracked.notes,
      };
    },
  });
