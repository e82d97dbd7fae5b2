import type { Run } from 'runs-client/contract';
import type { RunRequest } from '../../src/store/requests/request-row.ts';

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

/** A request with an active run. */
export function aRequest(changes: Partial<RunRequest> = {}): RunRequest {
  return {
    id: 'T1-V1',
    teamId: 'T1',
    creatorId: 'U1',
    channelId: 'C1',
    messageChannelId: 'C1',
    messageTs: '1.000100',
    prompt: 'count the TODO comments',
    title: 'Count the TODO comments',
    config: {},
    context: null,
    origin: null,
    step: 'following',
    postBeganAt: noon,
    createBeganAt: noon,
    createBeganServiceAt: null,
    runId: 'run-1',
    run: aRun(),
    problem: null,
    failures: 0,
    shown: null,
    dueAt: noon,
    acceptedAt: noon,
    endedAt: null,
    cancelAskedAt: null,
    cancelAskedBy: null,
    cancelRetryAt: null,
    cancelOutcome: null,
    unfollowedAt: null,
    endNotifiedAt: null,
    usual: null,
    nudgedAt: null,
    pointerAskedAt: null,
    pointerAskedBy: null,
    pointedAt: null,
    duplicateSuspectedAt: null,
    duplicatesCheckAt: null,
    showAgainAt: null,
    pendingPost: null,
    replacedChannelId: null,
    replacedMessageTs: null,
    followedSince: null,
    lookAt: null,
    missingSince: null,
    version: 1,
    pendingUpdate: null,
    ...changes,
  };
}
