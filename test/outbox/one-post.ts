import { createLogger } from 'base/logger';
import { beforeEach, vi } from 'vitest';
import { workOnPost } from '../../src/outbox/outbox-worker.ts';
import type {
  FindOutcome,
  PostOutcome,
  RemoveOutcome,
  UpdateOutcome,
} from '../../src/outbox/outcomes.ts';
import type { PostKind } from '../../src/outbox/post-kind.ts';
import { trackPost } from '../../src/outbox/track-post.ts';
import {
  changedPost,
  type NewPost,
  type PostChanges,
  type PostPlace,
} from '../../src/store/outbox/outbox-row.ts';
import { changedColumns, type RequestChanges } from '../../src/store/requests/request-row.ts';
import { createStore } from '../../src/store/store.ts';
import { useDatabase } from '../support/database/databases.ts';
import { storedRequest } from '../support/database/stored-request.ts';

export const place = { channelId: 'C1', ts: '1.000100' };
export const replyTo = (id: string): NewPost => ({
  id,
  kind: 'end',
  teamId: 'T1',
  requestId: 'r1',
  content: {},
  dueAt: 1,
});

type Slack = {
  waitMs?: () => Promise<number>;
  post?: (id: string) => Promise<PostOutcome>;
  find?: (id: string) => Promise<FindOutcome>;
  update?: () => Promise<UpdateOutcome>;
  remove?: (place: PostPlace) => Promise<RemoveOutcome>;
  instead?: readonly NewPost[];
};

const never = new AbortController().signal;

/** Prepares a request and its run message, each at the step that a test needs, and a scripted Slack. */
export function useOnePost() {
  const database = useDatabase();
  const store = () => createStore(database());
  beforeEach(async () => {
    for (const table of ['requests', 'outbox'] as const)
      await database().deleteFrom(table).execute();
  });

  async function plan(request: RequestChanges, message: PostChanges = {}): Promise<void> {
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    await store().requests.accept({ id: 'r1', ...asked, config: {}, acceptedAt: 1 });
    const columns = { failures: 0, ...changedColumns('r1', request), due_at: null };
    await database().updateTable('requests').set(columns).execute();
    await database()
      .updateTable('outbox')
      .set({ failures: 0, ...changedPost('r1', message) })
      .execute();
  }

  function createSlack(slack: Slack = {}) {
    const calls = {
      post: vi.fn(slack.post ?? (async () => ({ outcome: 'posted', place }) as const)),
      find: vi.fn(slack.find ?? (async () => ({ outcome: 'absent' }) as const)),
      update: vi.fn(slack.update ?? (async () => ({ outcome: 'shown' }) as const)),
      tell: vi.fn(async () => ({ outcome: 'planned', dueAt: null }) as const),
      wakeFollower: vi.fn(),
      remove: vi.fn(slack.remove ?? (async (_: PostPlace) => ({ outcome: 'removed' }) as const)),
    };
    const kind = (isKept: boolean): PostKind => ({
      open: async ({ id, request }) => ({
        post: () => calls.post(id),
        find: () => calls.find(id),
        findCopies: async () => ({ outcome: 'found', places: [] }),
        instead: slack.instead ?? [],
        ...(isKept && {
          kept: {
            shown: `${request?.step} ${request?.problem?.code}`,
            waitMs: slack.waitMs ?? (async () => 0),
            update: calls.update,
            whenCurrent: calls.tell,
            moveReplies: async () => [],
          },
        }),
      }),
    });
    return { ...calls, kinds: { 'run-message': kind(true), end: kind(false) } };
  }

  /** Works on the post with this ID, like the outbox when it's due. */
  async function work(slack: ReturnType<typeof createSlack>, id = 'r1', posting = store().posting) {
    const due = { due_at: 1, lease_until: 0 };
    await database().updateTable('outbox').set(due).where('id', '=', id).execute();
    const leased = (await posting.leases.claim('test', 60_000, 10)).find((each) => each.id === id);
    if (!leased) throw new Error('nothing is due');
    const tracked = trackPost(posting.leases, leased);
    const parts = {
      store: posting,
      kinds: slack.kinds,
      nowMs: () => Date.now(),
      wakeFollower: slack.wakeFollower,
      remove: slack.remove,
      logger: createLogger('silent'),
    };
    const dueAt = await workOnPost(parts, tracked, never);
    await posting.leases.release([{ lease: leased, changes: tracked.notes(), dueAt }]);
    return dueAt;
  }

  return {
    database,
    store,
    plan,
    createSlack,
    work,
    request: () => storedRequest(database(), 'r1'),
    requestDueAt: async () =>
      (await database().selectFrom('requests').select('due_at').executeTakeFirst())?.due_at,
    post: (id = 'r1') => store().outbox.find(id),
    /** Takes the post over like another replica after the lease ended. */
    async takeOver(): Promise<void> {
      await database().updateTable('outbox').set({ lease_until: 0 }).execute();
      await store().posting.leases.claim('other', 60_000, 10);
    },
  };
}
