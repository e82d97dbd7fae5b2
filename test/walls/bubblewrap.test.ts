import { describe, expect, it } from 'vitest';
import { whyNoBubblewrap } from '../support/bubblewrap.ts';
import { startAttackBed } from './attack-bed.ts';
import { attacks } from './attacks.ts';
import { printAttacks } from './print-attacks.ts';

const reason = whyNoBubblewrap();
const skipped = reason === undefined ? '' : ` (skipped: bubblewrap doesn't work here: ${reason})`;

describe.skipIf(reason !== undefined)(`a wall of bubblewrap${skipped}`, () => {
  it('stops every attack, each of which works without a wall', { timeout: 300_000 }, async () => {
    const bed = await startAttackBed([
      { id: 'open', isolation: 'none' },
      { id: 'walled', isolation: 'bubblewrap' },
    ]);
    const rows: { name: string; open: boolean; walled: boolean; more: unknown }[] = [];
    for (const attack of attacks) {
      const [open, walled] = [
        await bed.attempt(attack, 'open'),
        await bed.attempt(attack, 'walled'),
      ];
      rows.push({
        name: attack.name,
        open: open.worked,
        walled: walled.worked,
        more: [open, walled],
      });
    }
    printAttacks('bubblewrap', rows);
    expect(rows.filter(({ walled }) => walled)).toEqual([]);
    expect(rows.filter(({ open }) => !open)).toEqual([]);
  });
});
