import type { Audit } from '../store/audit/audit.ts';
import { hashOf } from '../store/audit/audit-entry.ts';

/**
 * `head`: the hash of the newest entry, to compare with one that was written down elsewhere. `from`: older entries aren't
 * there, as with `AUDIT_DAYS`, so what this one builds on can't be checked.
 */
type ChainState =
  | { entries: number; head: string; from: number }
  | { brokenAt: number; problem: string };

const pageSize = 1_000;

/** Reads the whole chain and computes every hash again. */
export async function verifyChain(audit: Pick<Audit, 'after'>): Promise<ChainState> {
  const [first] = await audit.after(0, 1);
  const from = first?.position ?? 1;
  let [position, head] = first && from > 1 ? [from, first.hash] : [0, ''];
  for (;;) {
    const page = await audit.after(position, pageSize);
    for (const entry of page) {
      const expected = position + 1;
      if (entry.position !== expected)
        return { brokenAt: expected, problem: 'an entry is missing' };
      if (entry.hash !== hashOf(entry, head))
        return { brokenAt: expected, problem: 'this entry, or the one before it, was changed' };
      [position, head] = [entry.position, entry.hash];
    }
    if (page.length < pageSize) return { entries: position, head, from };
  }
}
