/** Stores the measurements of each day in a separate file. */
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
  /** Requests that were acknowledged. `mostAtOnce` is the highest number of active runs. */
  accepted: z.number(),
  mostAtOnce: z.number(),
  /** Deliveries that were answered too late. `rejected` ones were answered with an error in time. */
  late: z.number(),
  rejected: z.number(),
  lost: z.number(),
  /** Runs not finished when the benchmark stopped waiting. */
  unfinished: z.number(),
  /** Runs that were cut off, because these agents never fail. */
  failed: z.number(),
  double: z.number(),
  /** Times from a delivery to its acknowledgement, in ms. */
  acknowledgement: quantiles,
  acceptedToMessage: quantiles,
  changeToMessage: quantiles,
  /** Calls in all, in the busiest hour and allowed per hour (posts: in all channels), and those answered with 429. */
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
  /** Growth of the databases for each run, in bytes. */
  growth: z.object({ bot: z.number(), service: z.number() }),
});
export type Result = z.infer<typeof resultSchema>;

export const quantilesOf = (values: readonly number[]): z.infer<typeof quantiles> => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
};

const fileOf = (size: Size | 'short') => `.tmp/load/${size}.json`;

/** @param isShort true for a short trial, which has a separate file */
export function keepResult(result: Result, isShort: boolean): string {
  const file = fileOf(isShort ? 'short' : result.size);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/** Reads the whole days that were measured on this machine. */
export const readResults = (): Result[] =>
  sizes
    .filter((size) => existsSync(fileOf(size)))
    .map((size) => resultSchema.parse(JSON.parse(readFileSync(fileOf(size), 'utf8'))));
