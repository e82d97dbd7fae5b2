import { expect, it } from 'vitest';
import type { PostOutcome } from '../../src/outbox/outcomes.ts';
import { postOnce } from '../../src/outbox/post-once.ts';

async function stepsWith(early: PostOutcome | undefined): Promise<string[]> {
  const steps: string[] = [];
  const { outcome } = await postOnce({
    beganAt: null,
    nowMs: Date.now,
    begin: async () => void steps.push('begin'),
    prepare: async () => {
      steps.push('prepare');
      return early;
    },
    post: async () => {
      steps.push('post');
      return { outcome: 'posted', place: { channelId: 'C1', ts: '1.0' } };
    },
    find: async () => ({ outcome: 'absent' }),
  });
  return [...steps, outcome];
}

it('prepares a post before the lease is confirmed, so that it is sent right after that', async () => {
  expect(await stepsWith(undefined)).toEqual(['prepare', 'begin', 'post', 'posted']);
});

it('begins nothing if it cannot be posted now', async () => {
  const early = { outcome: 'rejected', reason: 'channel_not_found' } as const;
  expect(await stepsWith(early)).toEqual(['prepare', 'rejected']);
});
