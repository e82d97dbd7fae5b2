/** What one day measured, in a file of its own. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Size, sizes } from './day.ts';

const quantiles = z.object({ count: z.number(), p50: z.number(), p99: z.number() });
const processUsage = z.object({ name: z.string(), cores: z.number(), mebibytes: z.number() });
export type ProcessUsage = z.infer<typeof processUsage>;

const resultSchema = z.object({
  size: z.enum(sizes),
  people: z.number(),
  peak: z.number(),
  daySeconds: z.number(),
  factor: z.number(),
  machine: z.string(),
  at: z.string(),
  /** Requests that were acknowledged, and the most runs that were active at once. */
  accepted: z.number(),
  mostAtOnce: z.number(),
  /** Deliveries. */
  late: z.number(),
  refused: z.number(),
  lost: z.number(),
  /** When the benchmark stopped waiting. */
  unfinished: z.number(),
  /** Agents never fail, so these were cut off. */
  failed: z.number(),
  double: z.number(),
  /** Milliseconds. */
  acknowledgement: quantiles,
  acceptedToMessage: quantiles,
  changeToMessage: quantiles,
  /** Calls, those of the busiest hour and how many Slack allows in an hour (of posts in all channels), answers with 429. */
  slack: z.array(
    z.object({
      method: z.string(),
      calls: z.number(),
      busiest: z.number(),
      allowed: z.number(),
      limited: z.number(),
    }),
  ),
  processes: z.array(processUsage),
  /** Bytes of the databases for each run. */
  growth: z.object({ bot: z.number(), service: z.number() }),
});
export type Result = z.infer<typeof resultSchema>;

export const quantilesOf = (values: readonly number[]): z.infer<typeof quantiles> => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
};

const fileOf = (size: Size | 'short') => `.tmp/load/${size}.json`;

/** @param isShort it was only tried, and is kept apart from whole days */
export function keepResult(result: Result, isShort: boolean): string {
  const file = fileOf(isShort ? 'short' : result.size);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/** The whole days that were measured here. */
export const readResults = (): Result[] =>
  sizes
    .filter((size) => existsSync(fileOf(size)))
    .map((size) => resultSchema.parse(JSON.parse(readFileSync(fileOf(size), 'utf8'))));
