/** The lines of Home that are no runs: how many there were, and how true the list is. */
import type { KnownBlock } from '@slack/types';
import type { StateGroup } from '../../store/request-list.ts';
import { context, section, time } from '../text/blocks.ts';

/** `asking`: meanwhile what was listed before (epoch milliseconds) or what the store knows is shown. */
export type Freshness =
  | { kind: 'fresh' }
  | { kind: 'asking'; listedAt?: number | undefined }
  | { kind: 'failed'; sentence: string; listedAt?: number | undefined };

const groups: Record<StateGroup, { sign: string; word: string }> = {
  live: { sign: '▶️', word: 'going on' },
  succeeded: { sign: '✅', word: 'succeeded' },
  failed: { sign: '❌', word: 'failed' },
  cancelled: { sign: '🚫', word: 'cancelled' },
};
const barLength = 10;

/** The last seven days as numbers, and the share that succeeded as a bar. */
export function renderCounts(counts: Record<StateGroup, number>): KnownBlock[] {
  const named = Object.keys(groups) as StateGroup[];
  const facts = named.filter((group) => counts[group] > 0);
  if (facts.length === 0) return [];
  const ended = counts.succeeded + counts.failed + counts.cancelled;
  const numbers = facts.map((group) => {
    const { sign, word } = groups[group];
    return `${sign} ${counts[group].toLocaleString('en-US')} ${word}`;
  });
  const line = `Started here in the last seven days:  ${numbers.join('  ·  ')}`;
  return [context(ended === 0 ? line : `${line}\n${renderBar(counts.succeeded / ended)}`)];
}

function renderBar(share: number): string {
  const filled = Math.round(share * barLength);
  const bar = '▰'.repeat(filled) + '▱'.repeat(barLength - filled);
  return `${bar}  ${Math.round(share * 100)} % of those that ended have succeeded`;
}

export function renderFreshness(freshness: Freshness, hasRows: boolean): KnownBlock[] {
  switch (freshness.kind) {
    case 'fresh':
      return [];
    case 'asking':
      return [
        context(
          `⏳ Asking the runs service … ${hasRows ? below(freshness.listedAt) : 'Its runs are here in a moment.'}`,
        ),
      ];
    case 'failed':
      return [
        section(
          `⚠️ ${freshness.sentence} ${hasRows ? below(freshness.listedAt) : 'Until then there is no list of runs; *Refresh* asks again.'}`,
        ),
      ];
  }
}

const below = (listedAt: number | undefined) =>
  listedAt === undefined
    ? 'Below are the runs that were started here.'
    : `Below is what was known ${time(listedAt)}.`;
