import type { Run } from 'runs-client/contract';
import { ownAuthority } from '../../src/requests/authority.ts';
import { nothingToPublish } from '../../src/requests/publish.ts';
import type { Post } from '../../src/store/outbox/outbox-row.ts';
import type { FollowedRequest } from '../../src/store/requests/request-row.ts';

const noon = Date.parse('2026-11-01T12:00:00Z');

export function aRun(changes: Partial<Run> = {}): Run {
  return {
    run_id: 'run-1',
    title: 'Count the TODO comments',
    prompt: 'count the TODO comments',
    state: 'INPROGRESS',
    created_at: '2026-11-01T12:00:00.000Z',
    updated_at: '2026-11-01T12:00:01.000Z',
    ...changes,
  };
}

/** A step that only a newer version of the app knows. */
export const stepOfTomorrow = String('dreaming') as FollowedRequest['step'];

export function aRequest(changes: Partial<FollowedRequest> = {}): FollowedRequest {
  return {
    id: 'T1-V1',
    teamId: 'T1',
    creatorId: 'U1',
    authority: ownAuthority(changes.creatorId ?? 'U1'),
    channelId: 'C1',
    connectionId: 'default',
    prompt: 'count the TODO comments',
    title: 'Count the TODO comments',
    config: {},
    context: null,
    origin: null,
    limits: null,
    step: 'following',
    createBeganAt: noon,
    createBeganServiceAt: null,
    runId: 'run-1',
    run: aRun(),
    problem: null,
    failures: 0,
    acceptedAt: noon,
    endedAt: null,
    cancelAskedAt: null,
    cancelAskedBy: null,
    cancelRetryAt: null,
    cancelOutcome: null,
    ...nothingToPublish,
    publishRetryAt: null,
    blockedAt: null,
    pendingAnswer: null,
    unfollowedAt: null,
    usual: null,
    startNotes: null,
    followedSince: null,
    nextPollAt: null,
    changeSeenAt: null,
    missingSince: null,
    version: 1,
    pendingUpdate: null,
    ...changes,
  };
}

/** Builds a post that waits, planned at noon. */
export const aPost = (changes: Partial<Post> = {}): Post => ({
  id: 'T1-V1',
  kind: 'run-message',
  teamId: 'T1',
  requestId: 'T1-V1',
  content: {},
  createdAt: noon,
  state: 'waiting',
  place: null,
  shown: null,
  beganAt: null,
  failures: 0,
  suspectedAt: null,
  checkAt: null,
  showAgainAt: null,
  replaced: null,
  version: 1,
  request: null,
  ...changes,
});
