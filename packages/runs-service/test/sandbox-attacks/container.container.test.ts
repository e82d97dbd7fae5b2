import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs-service.ts';
import { startAttackBed } from './attack-bed.ts';
import { attacks, kernelSettings } from './attacks.ts';
import { callAttacks } from './call-attacks.ts';
import { compareSandbox } from './compare-sandbox.ts';
import { containerIn } from './podman.ts';

describe('the podman sandbox', () => {
  it('stops every attack, each of which works without a sandbox', {
    timeout: 900_000,
  }, async () => {
    const container = containerIn(temporaryFolder());
    const bed = await startAttackBed([
      { id: 'open', isolation: 'none' },
      // Keep no conversation, because each container takes a second. The bubblewrap test keeps it.
      { id: 'sandboxed', isolation: 'container', container, conversation_days: 0 },
    ]);
    const all = [...attacks, ...callAttacks, ...(process.getuid?.() === 0 ? [kernelSettings] : [])];
    const promised = all.filter(({ isForBubblewrap }) => !isForBubblewrap);
    expect(promised.length).toBeGreaterThan(20);
    const rows = await compareSandbox('podman', bed, promised);
    expect(rows.filter(({ sandboxed }) => sandboxed)).toEqual([]);
    expect(rows.filter(({ open }) => !open)).toEqual([]);
  });
});
