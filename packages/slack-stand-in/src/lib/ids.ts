import { randomBytes, randomInt } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * Returns an ID such as `V0K3J9Q2M7X`. It starts with the letter for the kind, then has ten digits and capital letters.
 */
export function newId(kind: string): string {
  return `${kind}0${Array.from(randomBytes(9), (byte) => alphabet[byte % alphabet.length]).join('')}`;
}

/** Returns a random ID of five characters, as Slack creates for blocks and actions without an ID. */
export function newBlockId(): string {
  return Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join('');
}

type TokenKind = 'xoxb' | 'xapp' | 'xoxp' | 'xoxe-1' | 'xoxe.xoxb-1';

export function newToken(kind: TokenKind): string {
  const number = () => randomInt(1e11, 1e12);
  const middle = kind === 'xapp' ? `1-${newId('A')}-${number()}` : `${number()}-${number()}`;
  return `${kind}-${middle}-${randomBytes(16).toString('hex')}`;
}

export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

/** Creates message times that strictly increase, even if the clock stops or steps back, or the process restarts. */
export function createClock(lastTs = '0.000000') {
  let lastMicros = microsOf(lastTs);
  return {
    nextTs(): string {
      lastMicros = Math.max(Date.now() * 1000, lastMicros + 100);
      return `${Math.floor(lastMicros / 1e6)}.${String(lastMicros % 1e6).padStart(6, '0')}`;
    },
  };
}
export type Clock = ReturnType<typeof createClock>;

/**
 * Converts a message time to microseconds, so that times can be compared. Returns NaN if the text isn't a message time.
 */
export function microsOf(ts: string): number {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(ts);
  if (!match) return Number.NaN;
  return Number(match[1]) * 1e6 + Number((match[2] ?? '').padEnd(6, '0'));
}
