/** Slack renders the time in the reader's time zone, so the message needs no updates as time passes. */
function date(epochMs: number, format: string): string {
  const fallback = new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(epochMs / 1000)}^${format}|${fallback} UTC>`;
}

export const time = (epochMs: number) => date(epochMs, '{date_short_pretty} at {time}');

/** How long ago. Slack keeps it up to date. */
export const ago = (epochMs: number) => date(epochMs, '{ago}');

/** For something that goes on: when it began, which stays true where Slack doesn't keep the rest up to date. */
export const hourAndAgo = (epochMs: number) => date(epochMs, '{time} ({ago})');

/** The time without the date, for an event soon after another one. */
export const hour = (epochMs: number) => date(epochMs, '{time}');
