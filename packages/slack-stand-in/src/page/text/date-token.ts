/**
 * Person who reads a date token, `<!date^seconds^format^link|fallback>`. Slack shows dates in this person's time zone.
 */
type Reader = { timeZone: string; nowMs: number };

const tokens: Record<string, (atMs: number, reader: Reader) => string> = {
  date_num: (atMs, { timeZone }) => isoDay(atMs, timeZone),
  date_slash: (atMs, { timeZone }) => isoDay(atMs, timeZone).replaceAll('-', '/'),
  date: (atMs, reader) => formatDay(atMs, reader, { month: 'long', year: 'numeric' }),
  date_short: (atMs, reader) => formatDay(atMs, reader, { month: 'short', year: 'numeric' }),
  date_long: (atMs, reader) =>
    formatDay(atMs, reader, { weekday: 'long', month: 'long', year: 'numeric' }),
  date_pretty: (atMs, reader) =>
    dayName(atMs, reader) ?? formatDay(atMs, reader, { month: 'long', year: 'numeric' }),
  date_short_pretty: (atMs, reader) =>
    dayName(atMs, reader) ?? formatDay(atMs, reader, { month: 'short', year: 'numeric' }),
  date_long_pretty: (atMs, reader) =>
    dayName(atMs, reader) ??
    formatDay(atMs, reader, { weekday: 'long', month: 'long', year: 'numeric' }),
  day_divider_pretty: (atMs, reader) =>
    dayName(atMs, reader) ?? formatDay(atMs, reader, { weekday: 'long', month: 'long' }),
  time: (atMs, { timeZone }) => formatTime(atMs, timeZone),
  time_secs: (atMs, { timeZone }) => formatTime(atMs, timeZone, { second: '2-digit' }),
  ago: (atMs, { nowMs }) => formatAgo(atMs, nowMs),
};

export function renderDateToken(
  token: { seconds: number; format: string; fallback: string },
  reader: Reader,
): string {
  const atMs = token.seconds * 1_000;
  if (!Number.isFinite(new Date(atMs).getTime())) return token.fallback;
  let isFilled = false;
  const text = token.format.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const render = tokens[name];
    if (!render) return whole;
    isFilled = true;
    return render(atMs, reader);
  });
  return isFilled ? text : token.fallback;
}

export function formatTime(
  atMs: number,
  timeZone: string,
  more: Intl.DateTimeFormatOptions = {},
): string {
  const options = { timeZone, hour: 'numeric', minute: '2-digit', ...more } as const;
  return new Intl.DateTimeFormat('en-US', options).format(atMs);
}

function formatDay(atMs: number, reader: Reader, more: Intl.DateTimeFormatOptions): string {
  const options = { timeZone: reader.timeZone, day: 'numeric', ...more } as const;
  return new Intl.DateTimeFormat('en-US', options).format(atMs);
}

/** Returns the date in a time zone, in the format `2026-11-21`. */
export function isoDay(atMs: number, timeZone: string): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', options).format(atMs);
}

const dayMs = 86_400_000;

function dayName(atMs: number, { timeZone, nowMs }: Reader): string | undefined {
  const day = isoDay(atMs, timeZone);
  if (day === isoDay(nowMs, timeZone)) return 'today';
  if (day === isoDay(nowMs - dayMs, timeZone)) return 'yesterday';
  if (day === isoDay(nowMs + dayMs, timeZone)) return 'tomorrow';
  return undefined;
}

export function formatDayDivider(atMs: number, reader: Reader): string {
  const name = dayName(atMs, reader);
  if (name) return name.charAt(0).toUpperCase() + name.slice(1);
  return formatDay(atMs, reader, { weekday: 'long', month: 'long' });
}

const units: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function formatAgo(atMs: number, nowMs: number): string {
  const format = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
  const awayMs = atMs - nowMs;
  for (const [unit, ms] of units) {
    if (Math.abs(awayMs) >= ms) return format.format(Math.trunc(awayMs / ms), unit);
  }
  return 'just now';
}
