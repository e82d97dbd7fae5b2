import { WebClient } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { expect, it, onTestFinished, vi } from 'vitest';
import { workOnPost } from '../../../src/outbox/outbox-worker.ts';
import { trackPost } from '../../../src/outbox/track-post.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { Post } from '../../../src/store/outbox/outbox-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { aPost, aRequest, aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/database/databases.ts';
import { unlimitedBudget } from '../../support/posting/unlimited-budget.ts';

const database = useDatabase();
const runs = 50;
const never = new AbortController().signal;
const done = async () => undefined;

/** Builds a request whose run has done this many of five steps. */
const requestOf = (id: string, doneSteps: number) => {
  const plan = Array.from({ length: 5 }, (_, index) => ({
    title: `Part ${index}`,
    state: index < doneSteps ? 'completed' : 'pending',
  }));
  const run = aRun({ agent_progress: { plan }, started_at: '2026-11-01T12:00:00Z' });
  return aRequest({ id, run });
};

it('many plans cost a call each time that one of them changes, and none while time passes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = new WebClient();
  const update = vi.spyOn(client.chat, 'update').mockResolvedValue({ ok: true });
  const outbox = { find: done, ofRequest: async () => [], planUnder: done };
  const kind = createRunMessageKind({
    client,
    clock: createSlackClock(),
    outbox,
    budget: unlimitedBudget,
    planNotices: async () => ({ outcome: 'planned', dueAt: null }),
  });
  const logger = createLogger('silent');
  const deps = {
    store: createStore(database()).posting,
    kinds: { 'run-message': kind },
    remove: async () => ({ outcome: 'removed' }) as const,
    nowMs: Date.now,
    wakeFollower: () => undefined,
    logger,
  };
  const posts: Post[] = Array.from({ length: runs }, (_, index) =>
    aPost({
      id: `r${index}`,
      state: 'posted',
      shown: 'nothing yet',
      place: { channelId: 'C1', ts: `${index}.1` },
      request: requestOf(`r${index}`, 1),
    }),
  );
  /**
   * Works on every row as if all were due.
   * @returns the number of calls to Slack
   */
  const round = async (): Promise<number> => {
    update.mockClear();
    for (const [index, post] of posts.entries()) {
      const tracked = trackPost({ record: done, check: done }, post);
      await workOnPost(deps, tracked, never);
      posts[index] = { ...tracked.post };
    }
    return update.mock.calls.length;
  };

  expect(await round()).toBe(runs);
  vi.setSystemTime(Date.now() + 10 * 60_000);
  expect(await round()).toBe(0);
  for (const index of [3, 14, 49])
    posts[index] = { ...posts[index], request: requestOf(`r${index}`, 2) } as Post;
  expect(await round()).toBe(3);
  expect(await round()).toBe(0);
});
