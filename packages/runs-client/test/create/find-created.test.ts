import { beforeEach, describe, expect, it, vi } from 'vitest';
import { describeAttempt } from '../../src/create-attempt.ts';
import { aRun } from '../support/api-server.ts';
import { createLossyService, type LossyOptions } from '../support/lossy-service.ts';
import { createMemoryService } from '../support/memory-service.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

const request = { prompt: 'Mend the login test', title: 'Mend', config: { environment_id: 'e1' } };

describe('looking for a run without metadata', () => {
  beforeEach(startVirtualTime);

  const noMetadata = { keepsMetadata: false };
  const find = async (options: Partial<LossyOptions>, ageMs: number, more = {}) => {
    const service = createLossyService({ nextFault: () => 'none', ...noMetadata, ...options });
    service.add({ ...request, ...more });
    vi.setSystemTime(Date.now() + ageMs);
    const attempt = describeAttempt(request, 'req-1', Date.now());
    return service.client().runs.findCreated({ ...attempt, lastSentMs: 0 }, { settleMs: 0 });
  };

  it.each<[string, Partial<LossyOptions>, number, object, string]>([
    ['takes the same prompt, title and configuration', {}, 0, {}, 'found'],
    ['leaves another prompt', {}, 0, { prompt: 'Mend' }, 'none'],
    ['leaves another title', {}, 0, { title: 'Other' }, 'none'],
    ['leaves another environment', {}, 0, { config: { environment_id: 'e2' } }, 'none'],
    ['leaves a run that was there before', {}, 60_000, {}, 'none'],
    ['allows for a service whose clock is ahead', { clockAheadMs: 3_600_000 }, 0, {}, 'found'],
    [
      'allows for a service whose clock is behind',
      { clockAheadMs: -3_600_000, filters: false },
      0,
      {},
      'found',
    ],
    [
      'allows for clocks when the service does not tell its own',
      { clockAheadMs: -120_000, sendsDate: false },
      0,
      {},
      'found',
    ],
  ])('%s', async (_, options, ageMs, more, outcome) => {
    expect((await find(options, ageMs, more)).outcome).toBe(outcome);
  });

  it('finds a run behind a page of newer ones', async () => {
    const service = createLossyService({ nextFault: () => 'none', ...noMetadata });
    service.add(request);
    for (let newer = 0; newer < 150; newer += 1) service.add({ prompt: 'Another' });
    const attempt = describeAttempt(request, 'req-1', Date.now());
    const found = await service.client().runs.findCreated(attempt, { settleMs: 0 });
    expect(found).toMatchObject({ outcome: 'found', isSure: false, run: { run_id: 'run-1' } });
  });

  it('ignores a run with metadata but no request id', async () => {
    const service = createLossyService({ nextFault: () => 'none' });
    service.add({ ...request, metadata: { team: 'blue' } });
    const attempt = describeAttempt(request, 'req-1', Date.now());
    const found = await service.client().runs.findCreated(attempt, { settleMs: 0 });
    expect(found).toEqual({ outcome: 'none' });
  });

  it('ignores a run of another request', async () => {
    const service = createLossyService({ nextFault: () => 'none', ...noMetadata });
    service.add(request);
    const attempt = describeAttempt(request, 'req-1', Date.now());
    const options = { settleMs: 0, isTaken: async (runId: string) => runId === 'run-1' };
    expect(await service.client().runs.findCreated(attempt, options)).toEqual({ outcome: 'none' });
  });

  it('ignores a run of another request when the list leaves out its metadata', async () => {
    const run = aRun({ ...request, agent_config: undefined, created_at: new Date().toISOString() });
    const api = createMemoryService((reply, { url }) =>
      url.includes('/runs/')
        ? reply.json(200, { ...run, metadata: { request_id: 'other' } })
        : reply.json(200, { runs: [run], page_info: { has_next_page: false } }),
    );
    const attempt = describeAttempt(request, 'req-1', Date.now());
    expect(await api.client().runs.findCreated(attempt, { settleMs: 0 })).toEqual({
      outcome: 'none',
    });
  });

  it('is unsure if the list of newest runs never ends', async () => {
    const api = createMemoryService((reply, _, count) =>
      reply.json(200, {
        runs: [aRun({ run_id: `r${count}`, created_at: new Date().toISOString() })],
        page_info: { has_next_page: true, next_cursor: `c${count}` },
      }),
    );
    const attempt = describeAttempt(request, 'req-1', 0);
    const found = await api.client().runs.findCreated(attempt, { settleMs: 0 });
    expect(found).toMatchObject({ outcome: 'unsure' });
  });
});
