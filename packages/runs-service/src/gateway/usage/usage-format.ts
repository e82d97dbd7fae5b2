import type { CallUsage } from './call-usage.ts';
import type { FoundValues, WantedValues } from './json-scanner.ts';

/** Everything that the events of one response have said so far, by name. A later value replaces an earlier one. */
export type ReportedValues = Map<string, string | number>;

/** Format in which an API reports the usage of a call. */
export type UsageFormat = {
  wanted: WantedValues;
  /** Merges the values of an event, or of a whole response, into `reported`. Returns true if it was the last. */
  merge(values: FoundValues, reported: ReportedValues): boolean;
  usage(reported: ReportedValues): CallUsage | undefined;
  model(reported: ReportedValues): string | undefined;
  tier(reported: ReportedValues): string | undefined;
};

/** Replaces values in `reported`, under names without the prefix. */
export function mergeAll(values: FoundValues, reported: ReportedValues, prefix = ''): void {
  for (const [path, value] of values)
    reported.set(path.startsWith(prefix) ? path.slice(prefix.length) : path, value);
}

const maxTokens = 1_000_000_000;

/** Returns a number of tokens, or undefined if the value is missing or can't be one. */
export function countIn(reported: ReportedValues, name: string): number | undefined {
  const value = reported.get(name);
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxTokens;
  return isCount ? Number(value) : undefined;
}

export function textIn(reported: ReportedValues, name: string): string | undefined {
  const value = reported.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
