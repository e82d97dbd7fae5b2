/** Renders a date that Slack shows in the reader's time zone. The message needs no updates as time passes. */
function date(epochMs: number, format: string): string {
  const fallback = new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(epochMs / 1000)}^${format}|${fallback} UTC>`;
}

export const time = (epochMs: number) => date(epochMs, '{date_short_pretty} at {time}');

/** Renders how long ago a time was, such as "5 minutes ago". Slack keeps the text current. */
export const ago = (epochMs: number) => date(epochMs, '{ago}');

/**
 * Renders when something in progress started, and how long ago. The time stays correct in clients that don't refresh
 * the age.
 */
export const hourAndAgo = (epochMs: number) => date(epochMs, '{time} ({ago})');

/** Renders a time without its date, for something that happened recently. */
export const hour = (epochMs: number) => date(epochMs, '{time}');

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

/** Returns a duration in its two largest units, such as `2m 14s`, `3m` or `45s`. */
export function durationText(ms: number): string {
  if (!(ms >= 1_000)) return 'under 1s';
  const first = units.findIndex((unit) => ms >= unit.ms);
  const [large, small] = [units[first], units[first + 1]];
  if (!large) return 'under 1s';
  const count = Math.floor(ms / large.ms);
  const rest = small ? Math.floor((ms % large.ms) / small.ms) : 0;
  if (small && rest > 0) return `${count}${large.name} ${rest}${small.name}`;
  return `${count}${large.name}`;
}
