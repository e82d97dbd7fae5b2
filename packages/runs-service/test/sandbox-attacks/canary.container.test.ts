import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs-service.ts';
import { foundIn, startCanaryBed } from './canary-bed.ts';
import { containerIn } from './podman.ts';

describe('the key of a model', () => {
  const environment = () => ({
    isolation: 'container',
    container: containerIn(temporaryFolder()),
    conversation_days: 0,
  });

  it('is nowhere that an agent in a podman container reaches', { timeout: 300_000 }, async () => {
    const bed = await startCanaryBed(environment());
    const output = await bed.search();
    expect(foundIn(output)).toEqual([]);
    expect(output).toContain('Herons fly.');
    expect(output).toContain('searched everything');
    expect(new Set(bed.calls.map((headers) => headers['x-api-key']))).toEqual(new Set([bed.key]));
  });

  it('is found there if it is handed over as a secret', { timeout: 300_000 }, async () => {
    const bed = await startCanaryBed(environment(), 'the old way');
    expect(foundIn(await bed.search())).toContain('FOUND in its environment');
  });
});
