import { microsPerDollar } from '../../requests/run-cost.ts';

const centInMicros = 10_000;

/** Formats millionths of a US dollar, such as `$1,234.50`. A smaller amount than a cent is `under $0.01`. */
export const dollars = (micros: number): string =>
  isUnderCent(micros) ? 'under $0.01' : exactDollars(micros);

/** Formats an amount for a column of amounts. */
export const shortDollars = (micros: number): string =>
  isUnderCent(micros) ? '<$0.01' : exactDollars(micros);

const isUnderCent = (micros: number) => micros > 0 && micros < centInMicros;

const exactDollars = (micros: number) =>
  `$${(micros / microsPerDollar).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
