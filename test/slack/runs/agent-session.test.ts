import { describe, expect, it } from 'vitest';
import { sessionStatusOf, threadStatusOf } from '../../../src/slack/runs/agent-session.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const inState = (state: string, more = {}) =>
  aRequest({ step: 'following', run: aRun({ state }), ...more });
const working = inState('INPROGRESS');
const blocked = inState('BLOCKED');
const leftAlone = inState('INPROGRESS', { unfollowedAt: 1 });

describe('the status of an agent session', () => {
  it.each([
    ['processing', inState('QUEUED')],
    ['processing', inState('SOMETHING_NEW')],
    ['processing', aRequest({ step: 'posted', run: null })],
    ['suspended', blocked],
    ['closed', inState('SUCCEEDED', { step: 'ended' })],
    ['closed', aRequest({ step: 'not_started' })],
    ['closed', leftAlone],
  ])('is %s', (status, request) => {
    expect(sessionStatusOf(request)).toBe(status);
  });

  it.each([
    [true, [working, blocked], 'processing'],
    [false, [blocked, leftAlone], 'suspended'],
    [false, [leftAlone], 'closed'],
    [false, [], 'closed'],
    [true, [], 'active'],
  ])(
    'of a thread that takes replies (%s) is that of its most active run',
    (acceptsPlainReplies, live, status) => {
      expect(threadStatusOf(acceptsPlainReplies, live)).toBe(status);
    },
  );
});
