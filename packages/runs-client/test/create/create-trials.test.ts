import { beforeEach, describe, expect, it } from 'vitest';
import type { CreateRunRequest } from '../../src/contract.ts';
import type { CreateAttempt } from '../../src/create-attempt.ts';
import type { RunsClient } from '../../src/index.ts';
import { RunsApiError } from '../../src/runs-api-error.ts';
import { type CreateFault, createLossyService } from '../support/lossy-service.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

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
const atOnce = 25;
const settleMs = 3_000;

/** Returns a generator of numbers from 0 to 1, which a seed repeats (mulberry32). */
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

/** Acts as a careful caller. Stores the attempt of an ambiguous create and continues from it until the run is known. */
async function createForSure(client: RunsClient, request: CreateRunRequest, count: Count) {
  let previous: CreateAttempt | undefined;
  for (;;) {
    try {
      const { run_id } = await client.runs.create(request, { previous, timeoutMs: 8_000 });
      return run_id;
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      if (error.code === 'ambiguous') count.ambiguous += 1;
      else count.failed += 1;
      previous = error.attempt;
    }
  }
}

describe('creates with lost responses', () => {
  beforeEach(startVirtualTime);

  it.each([
    [60, 'where metadata is kept', 11, { keepsMetadata: true, filters: true }],
    [60, 'where the key is honored', 12, { honorsKeys: true }],
    [60, 'where filters are ignored', 13, { keepsMetadata: true, filters: false }],
    [60, 'where no metadata is kept', 14, { keepsMetadata: false, filters: true }],
    [60, 'where no metadata is kept, two of each', 15, { keepsMetadata: false, filters: true }],
  ])('make %i runs for as many creates, one each: %s', async (trials, kind, seed, options) => {
    const random = createRandom(seed);
    const service = createLossyService({
      ...options,
      nextFault: () => faults[Math.floor(random() * faults.length)] ?? 'none',
      isReadLost: () => random() < 0.1,
      lateMs: 20,
      random,
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
