/** The lines of Home above the runs: how many there were, and how fresh the list is. */
import type { KnownBlock } from '@slack/types';
import type { RequestCounts } from '../../store/requests/request-list.ts';
import { context, section } from '../text/blocks.ts';
import { time } from '../text/dates.ts';

/** `listedAt`, in epoch milliseconds: when the service last gave this list. Without it, the store did. */
export type Freshness =
  | { kind: 'fresh' }
  | { kind: 'asking'; listedAt?: number | undefined }
  | { kind: 'failed'; sentence: string; listedAt?: number | undefined };

const groups: Record<keyof RequestCounts, { sign: string; word: string }> = {
  live: { sign: '▶️', word: 'active' },
  succeeded: { sign: '✅', word: 'succeeded' },
  failed: { sign: '❌', word: 'failed' },
  cancelled: { sign: '🚫', word: 'canceled' },
  notStarted: { sign: '⚠️', word: 'not started' },
};
const barLength = 10;

export function renderCounts(counts: RequestCounts): KnownBlock[] {
  const named = Object.keys(groups) as (keyof RequestCounts)[];
  const facts = named.filter((group) => counts[group] > 0);
  if (facts.length === 0) return [];
  const finished = counts.succeeded + counts.failed;
  const numbers = facts.map((group) => {
    const { sign, word } = groups[group];
    return `${sign} ${counts[group].toLocaleString('en-US')} ${word}`;
  });
  const line = `Started from Slack in the last 7 days:  ${numbers.join('  ·  ')}`;
  return [context(finished === 0 ? line : `${line}\n${renderBar(counts.succeeded, finished)}`)];
}

function renderBar(succeeded: number, finished: number): string {
  const filled = shareOf(succeeded, finished, barLength);
  const bar = '▰'.repeat(filled) + '▱'.repeat(barLength - filled);
  return `${bar}  ${shareOf(succeeded, finished, 100)}% succeeded`;
}

/** Rounded, but only all of them are the whole, and only none are nothing. */
function shareOf(part: number, all: number, whole: number): number {
  if (part === 0 || part === all) return part === 0 ? 0 : whole;
  return Math.min(whole - 1, Math.max(1, Math.round((part / all) * whole)));
}

export function renderFreshness(freshness: Freshness, hasRows: boolean): KnownBlock[] {
  switch (freshness.kind) {
    case 'fresh':
      return [];
    case 'asking':
      return [context(`⏳ Loading runs…${hasRows ? ` ${shown(freshness.listedAt)}` : ''}`)];
    case 'failed':
      return [
        section(
          `⚠️ ${freshness.sentence} ${hasRows ? shown(freshness.listedAt) : "Runs appear here once it's back."}`,
        ),
      ];
  }
}

const shown = (listedAt: number | undefined) =>
  listedAt === undefined
    ? 'Showing only runs started from Slack.'
    : `Showing runs as of ${time(listedAt)}.`;
