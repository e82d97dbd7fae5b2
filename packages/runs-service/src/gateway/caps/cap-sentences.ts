import type { CapState, SpendCap } from '../../store/spend-cap.ts';

/** Formats millionths of a US dollar, such as "$5.00". Small amounts that aren't whole cents have four decimals. */
export function dollars(micros: number): string {
  const isExact = micros % 10_000 === 0 || Math.abs(micros) >= 100_000;
  const amount = (Math.abs(micros) / 1e6).toLocaleString('en-US', {
    minimumFractionDigits: isExact ? 2 : 4,
    maximumFractionDigits: isExact ? 2 : 4,
  });
  return `${micros < 0 ? '-' : ''}$${amount}`;
}

const periods = { run: '', day: ' today', week: ' this week', month: ' this month' };

/** Returns the subject of a sentence about a cap, such as `This run` or `#backend`. */
function spender({ scope, name }: SpendCap): string {
  if (scope === 'run') return 'This run';
  if (scope === 'environment' && name !== undefined) return `Environment "${name}"`;
  return name ?? (scope === 'person' ? 'The person who started this run' : `This ${scope}`);
}

/** Says how much of a cap is spent, such as "#backend has spent $50.00 of $50.00 this week." */
export function spentSentence({ cap, spent, allowed }: CapState): string {
  const limit = dollars(cap.limitMicros + allowed);
  return `${spender(cap)} has spent ${dollars(spent)} of ${limit}${periods[cap.per]}.`;
}

/** Returns the start of the next period, such as "Monday, November 30 at 00:00 (Europe/Berlin)". */
function resetTime({ cap, resetsAt }: CapState): string | undefined {
  if (resetsAt === null) return undefined;
  const parts = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: cap.timeZone }).format(resetsAt);
  const day = parts({ weekday: 'long', month: 'long', day: 'numeric' });
  const time = parts({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `${day} at ${time} (${cap.timeZone})`;
}

/** Says when the next period starts. Undefined for the cap of a run. */
export function resetSentence(state: CapState): string | undefined {
  const at = resetTime(state);
  return at === undefined ? undefined : `It resets on ${at}.`;
}

/** Says what allowing more means. */
export function allowSentence(state: CapState, amountMicros: number): string {
  const { cap } = state;
  const more = dollars(amountMicros);
  if (cap.scope === 'run')
    return `If you allow ${more} more, it continues. Otherwise, it ends here.`;
  const until = resetTime(state);
  return `If you allow ${more} more, this run continues, and all runs that share this cap can use it${until ? ` until ${until}` : ''}. Otherwise, this run ends here.`;
}

const fullDollar = 1_000_000;

/** Returns the amount to offer: the cap of a run again, or a fifth of another cap in whole dollars, at least one. */
export function amountToOffer({ scope, limitMicros }: SpendCap): number {
  if (scope === 'run') return limitMicros;
  return Math.max(1, Math.round(limitMicros / 5 / fullDollar)) * fullDollar;
}
