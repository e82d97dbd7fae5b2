import { describe, expect, it } from 'vitest';
import type { CreateRunRequest } from '../../src/contract.ts';
import type { CreateAttempt } from '../../src/create-attempt.ts';
import type { RunsClient } from '../../src/index.ts';
import { RunsApiError } from '../../src/runs-api-error.ts';
import { type CreateFault, startLossyService } from '../support/lossy-service.ts';

const faults: CreateFault[] = [
  'none',
  'hang up before',
  'hang up during',
  'hang up after',
  '502 before',
  '502 after',
  'slow',
  'slow after',
  'never answers',
  'cut answer',
  'HTML answer',
  'empty answer',
  '429',
  '409',
];
/**
 * Callers and service share this thread, so a request that was given up waits for all of them before the service reads
 * it. That must take less than `settleMs`.
 */
const atOnce = 25;
const settleMs = 3_000;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Count = { ambiguous: number; failed: number };

/**
 * Acts as a careful caller: keeps the attempt of an ambiguous create and continues from it until it has its run. Each try
 * gets more time than the last, because many at once are slow on a busy machine.
 */
async function createForSure(client: RunsClient, request: CreateRunRequest, count: Count) {
  let previous: CreateAttempt | undefined;
  for (let timeoutMs = 8_000; ; timeoutMs = Math.min(2 * timeoutMs, 32_000)) {
    try {
      const { run_id } = await client.runs.create(request, { previous, timeoutMs });
      return run_id;
    } catch (error) {
      // The client closes when its test ends or times out.
      if (!(error instanceof RunsApiError) || error.code === 'closed') throw error;
      if (error.code === 'ambiguous') count.ambiguous += 1;
      else count.failed += 1;
      previous = error.attempt;
    }
  }
}

describe('creates with lost responses', () => {
  // Fewer trials where the client reads whole lists, which takes time.
  it.each([
    [200, 'where metadata is kept', 11, { keepsMetadata: true, filters: true }],
    [200, 'where the key is honored', 12, { honorsKeys: true }],
    [100, 'where filters are ignored', 13, { keepsMetadata: true, filters: false }],
    [100, 'where no metadata is kept', 14, { keepsMetadata: false, filters: true }],
    [100, 'where no metadata is kept, two of each', 15, { keepsMetadata: false, filters: true }],
  ])('make %i runs for as many creates, one each: %s', async (trials, kind, seed, options) => {
    const random = createRandom(seed);
    const service = await startLossyService({
      ...options,
      nextFault: () => faults[Math.floor(random() * faults.length)] ?? 'none',
      isReadLost: () => random() < 0.1,
      lateMs: 20,
    });
    const isIdempotent = 'honorsKeys' in options;
    const client = service.client({ settleMs, isIdempotent });
    const count = { ambiguous: 0, failed: 0 };
    const runIds: string[] = [];
    let left = trials;
    const caller = async () => {
      while (left > 0) {
        left -= 1;
        const prompt = `Mend number ${kind.endsWith('two of each') ? left >> 1 : left}`;
        runIds.push(await createForSure(client, { prompt, title: 'Mend' }, count));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    const seen = `${count.ambiguous} ambiguous, ${count.failed} surely failed, ${service.received.length} requests`;
    expect(new Set(runIds).size, seen).toBe(trials);
    expect(service.runs.length, seen).toBe(trials);
    expect(service.received.length, seen).toBeGreaterThan(trials * 1.5);
  });
});
