/** Reads and writes the spending caps of rules, such as "$50 per week". */

const periods = ['day', 'week', 'month'] as const;
/** Max spending in US dollars within a calendar period. */
export type PeriodCap = { usd: number; per: (typeof periods)[number] };

export const capExample = '$50 per week';

const maxUsd = 1_000_000;
const pattern = new RegExp(
  String.raw`^\$?(\d{1,3}(?:,?\d{3})*(?:\.\d{1,2})?) per (${periods.join('|')})$`,
  'i',
);

/** Reads a cap. Returns undefined if the text isn't an amount and a period. */
export function readCap(text: string): PeriodCap | undefined {
  const [, amount = '', period = ''] = pattern.exec(text.trim()) ?? [];
  const per = periods.find((each) => each === period.toLowerCase());
  const usd = Number(amount.replaceAll(',', ''));
  return per && usd > 0 && usd <= maxUsd ? { usd, per } : undefined;
}

/** Writes an amount without cents if it has none, such as `$50` or `$2.50`. */
export const amountText = (usd: number): string =>
  `$${usd.toLocaleString('en-US', Number.isInteger(usd) ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const capText = ({ usd, per }: PeriodCap): string => `${amountText(usd)} per ${per}`;
