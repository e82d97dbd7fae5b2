import { readableLine } from 'base/readable-text';
import { shorten } from '../text/escape-text.ts';

export type Bar = { amount: string; size: number; name: string };

const barWidth = 10;
const nameLimit = 40;

/**
 * Renders amounts as bars for a block of code, such as `$9.10  ████████    large`. Names are last, so that bars stay
 * aligned where a narrow screen wraps a line.
 */
export function renderBars(bars: readonly Bar[]): string {
  const largest = Math.max(...bars.map(({ size }) => size));
  const width = Math.max(...bars.map(({ amount }) => amount.length));
  return bars
    .map(({ amount, size, name }) => {
      const filled = size > 0 ? Math.max(1, Math.round((size / largest) * barWidth)) : 0;
      const bar = '█'.repeat(filled).padEnd(barWidth);
      return `${amount.padStart(width)}  ${bar}  ${shorten(readableLine(name), nameLimit)}`;
    })
    .join('\n');
}
