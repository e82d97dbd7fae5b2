import { describe, expect, it } from 'vitest';
import { foundIn, startCanaryBed } from './canary-bed.ts';

describe('the key of a model', () => {
  it.each([
    ['none', { network: 'none' }],
    ['not set', {}],
    ['a list of hosts', { network: ['example.org', '127.0.0.1'] }],
    ['all', { network: 'all' }],
  ])('is nowhere that an agent in bubblewrap reaches, with network: %s', async (_, environment) => {
    const bed = await startCanaryBed(environment);
    // Search twice, because the second run continues the memory of the first.
    for (const output of [await bed.search(), await bed.search()]) {
      expect(foundIn(output)).toEqual([]);
      expect(output).toContain('Herons fly.');
      expect(output).toContain('searched everything');
    }
    expect(new Set(bed.calls.map((headers) => headers['x-api-key']))).toEqual(new Set([bed.key]));
    expect(bed.filesWithKey()).toBe('');
  });

  it('is in no variable or argument without a sandbox, where agents can still read the key file', async () => {
    const bed = await startCanaryBed({ isolation: 'none' });
    const output = await bed.search({ isWithoutSandbox: true });
    expect(foundIn(output)).toEqual([]);
    expect(output).toContain('Herons fly.');
  });

  it('is found by the same agent if it is handed over as a secret', async () => {
    const bed = await startCanaryBed({ network: 'none' }, 'the old way');
    const output = await bed.search();
    expect(foundIn(output)).toContain('FOUND in its environment');
    expect(foundIn(output)).toContain('FOUND in the environments of all processes');
  });
});
