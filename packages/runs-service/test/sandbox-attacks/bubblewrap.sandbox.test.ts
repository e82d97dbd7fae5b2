import { describe, expect, it } from 'vitest';
import { findCgroups } from '../../src/sandbox/command-limits.ts';
import { startAttackBed } from './attack-bed.ts';
import { attacks, forkBomb, kernelSettings } from './attacks.ts';
import { callAttacks, notTriable } from './call-attacks.ts';
import { compareSandbox } from './compare-sandbox.ts';

const isRoot = process.getuid?.() === 0;
/** Linux limits the processes of root only in a cgroup. */
const hasProcessLimit = !isRoot || findCgroups()?.limits.includes('processes') === true;
const limits = { memory_mb: 700, disk_mb: 50, ...(hasProcessLimit && { processes: 60 }) };

describe('the bubblewrap sandbox', () => {
  it('stops every attack, each of which works without a sandbox', async () => {
    const bed = await startAttackBed([
      { id: 'open', isolation: 'none' },
      { id: 'sandboxed', isolation: 'bubblewrap', limits },
    ]);
    const all = [
      ...attacks,
      ...callAttacks,
      ...(isRoot ? [kernelSettings] : []),
      ...(hasProcessLimit ? [forkBomb] : []),
    ];
    const rows = await compareSandbox('bubblewrap', bed, all);
    expect(rows.filter(({ sandboxed }) => sandboxed)).toEqual([]);
    expect(rows.filter(({ open }) => !open)).toEqual([]);
  });

  for (const { name } of notTriable)
    it.skip(`stops the attack "${name}", which this machine itself doesn't allow`);
});
