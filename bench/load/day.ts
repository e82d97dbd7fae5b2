/** Plans a company's compressed day: what people do, and when. */

/** Active runs at the peak of the day. `full` is a company with 20,000 people. */
const peaks = { half: 1_000, full: 2_000, double: 4_000 } as const;
export const sizes = ['half', 'full', 'double'] as const;
export type Size = (typeof sizes)[number];

export const channels = 40;
const dayHours = 24;

/** An act of a person. Acts that belong to one run have the same `number`. */
export type Act = {
  kind: 'command' | 'form' | 'submit' | 'cancel' | 'follow-up' | 'home';
  number: number;
  atMs: number;
};

export type Day = {
  size: Size;
  people: number;
  peak: number;
  dayMs: number;
  /** Factor by which the day is faster, and by which Slack allows more. */
  factor: number;
  /** Mean time that an agent works. Not compressed. */
  agentMs: number;
};

/** @param short values of `SECONDS` and `PEAK`, for a short trial of the benchmark */
export function dayOf(size: Size, short: { seconds?: number; peak?: number } = {}): Day {
  const dayMs = (short.seconds ?? 600) * 1_000;
  const peak = short.peak ?? peaks[size];
  const factor = (dayHours * 3_600_000) / dayMs;
  return { size, people: peak * 10, peak, dayMs, factor, agentMs: dayMs / 3 };
}

const hump = (hour: number, middle: number, width: number) =>
  Math.exp(-(((hour - middle) / width) ** 2) / 2);

/** Returns people's activity at an hour: most in the morning, less at lunch, again in the afternoon, a little at night. */
const busyAt = (hour: number): number =>
  0.02 + hump(hour, 10.5, 1.6) + 0.85 * hump(hour, 15.5, 2) - 0.2 * hump(hour, 12.7, 0.5);

const steps = 1_440;

/** Returns the start times of runs, so that about `peak` of them are active at the busiest time. */
function startsOf({ peak, dayMs, agentMs }: Day): number[] {
  const stepMs = dayMs / steps;
  const busy = Array.from({ length: steps }, (_, step) => busyAt((step / steps) * dayHours));
  const lasting = Math.round(agentMs / stepMs);
  const atOnce = busy.map((_, end) => sum(busy.slice(Math.max(0, end - lasting), end)));
  const perStep = peak / Math.max(...atOnce);
  const starts: number[] = [];
  let due = 0;
  for (const [step, share] of busy.entries()) {
    due += share * perStep;
    const missing = Math.floor(due) - starts.length;
    for (let each = 0; each < missing; each += 1)
      starts.push((step + (each + 0.5) / missing) * stepMs);
  }
  return starts;
}

/** Returns the agent's time: 0.75 to 1.25 of the mean. */
export const agentMsOf = ({ agentMs }: Day, number: number): number =>
  agentMs * (0.75 + (number % 101) / 200);

/**
 * Three of ten runs come from a form, one of twenty is canceled, one of twenty gets a message in its thread, and for each
 * run two people open Home.
 */
export function actsOf(day: Day): Act[] {
  const acts = startsOf(day).flatMap((atMs, number): Act[] => {
    const middle = atMs + agentMsOf(day, number) / 2;
    return [
      ...(number % 10 < 3
        ? [
            { kind: 'form' as const, number, atMs },
            { kind: 'submit' as const, number, atMs: atMs + 1_000 },
          ]
        : [{ kind: 'command' as const, number, atMs }]),
      ...(number % 20 === 7 ? [{ kind: 'cancel' as const, number, atMs: middle }] : []),
      ...(number % 20 === 13 ? [{ kind: 'follow-up' as const, number, atMs: middle }] : []),
      { kind: 'home', number, atMs: atMs + 200 },
      { kind: 'home', number, atMs: atMs + 700 },
    ];
  });
  return acts.toSorted((one, other) => one.atMs - other.atMs);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
