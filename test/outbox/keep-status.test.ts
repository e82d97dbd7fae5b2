import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { keepStatus } from '../../src/outbox/keep-status.ts';
import type { StatusOutcome } from '../../src/outbox/post-kind.ts';
import { trackPost } from '../../src/outbox/track-post.ts';
import type { PostChanges } from '../../src/store/outbox/outbox-row.ts';
import { aPost } from '../support/builders.ts';

const hourMs = 60 * 60_000;
const parts = { nowMs: () => Date.now(), logger: createLogger('silent') };
const asked = aPost({ kind: 'agent-session', requestId: null });

/** Works on a status once. Returns the statuses that were set, and the row afterwards. */
async function works(
  changes: PostChanges,
  { status = 'processing', outcome = { outcome: 'set' } as StatusOutcome, waitMs = 0 } = {},
) {
  const written: PostChanges[] = [];
  const record = async (_: unknown, change: PostChanges) => void written.push(change);
  const tracked = trackPost({ record, check: async () => {} }, { ...asked, ...changes });
  const set: string[] = [];
  const wanted = {
    status,
    lastsMs: status === 'processing' ? hourMs : null,
    waitMs: async () => waitMs,
    async set() {
      // The attempt is recorded before the call to Slack.
      expect(written.at(-1)?.shown).toBeNull();
      set.push(status);
      return outcome;
    },
  };
  const dueAt = await keepStatus(parts, tracked, wanted);
  return { set, dueAt, post: tracked.post };
}

describe('a status', () => {
  it('is set once, and again before Slack forgets it', async () => {
    const first = await works({});
    expect(first.set).toEqual(['processing']);
    // A status that only waits to be renewed doesn't count as waiting for Slack.
    expect(first.post.state).toBe('posted');
    expect(first.dueAt).toBe(first.post.showAgainAt);
    const { shown, showAgainAt } = first.post;
    expect((await works({ shown, showAgainAt })).set).toEqual([]);
    expect((await works({ shown, showAgainAt: Date.now() - 1 })).set).toEqual(['processing']);
  });

  it('is set when it changed, and rests when Slack keeps it', async () => {
    const { set, dueAt, post } = await works({ shown: 'processing' }, { status: 'closed' });
    expect([set, dueAt, post.shown]).toEqual([['closed'], null, 'closed']);
  });

  it('is set again after a crash or an answer that was lost', async () => {
    const lost = { outcome: 'later', reason: 'no answer', retryAfterMs: 0 } as const;
    const { post, dueAt } = await works({}, { outcome: lost });
    expect([post.shown, post.failures]).toEqual([null, 1]);
    expect(dueAt).toBeGreaterThan(0);
    const { shown, beganAt } = post;
    // The lost call may still arrive, so the next one waits to come after it.
    const soon = await works({ shown, beganAt }, { status: 'closed' });
    expect([soon.set, Number(soon.dueAt) > Date.now() + 5_000]).toEqual([[], true]);
    const settled = { shown, beganAt: Date.now() - 8_000 };
    expect((await works(settled)).set).toEqual(['processing']);
  });

  it('that Slack surely did not set is still the earlier one', async () => {
    const limited = { outcome: 'later', reason: 'r', retryAfterMs: 9, isUndone: true } as const;
    const { post } = await works({ shown: 'suspended' }, { outcome: limited });
    expect([post.shown, post.beganAt]).toEqual(['suspended', null]);
  });

  it('that Slack rejects rests, and is recorded only once Slack confirms it', async () => {
    const rejected = { outcome: 'rejected', reason: 'is_archived' } as const;
    const { post, dueAt } = await works({}, { outcome: rejected });
    expect([post.shown, post.beganAt, dueAt]).toEqual([null, null, null]);
    const shown = { shown: 'processing', beganAt: 1 };
    const closing = await works(shown, { status: 'closed', outcome: rejected });
    expect(closing.post).toMatchObject(shown);
    expect([closing.set, closing.dueAt]).toEqual([['closed'], null]);
  });

  it("waits for Slack's limits", async () => {
    expect((await works({}, { waitMs: 5 })).set).toEqual([]);
  });
});
