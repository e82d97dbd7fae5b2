import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Series } from './series.ts';

export type Labels = Record<string, string>;

/**
 * Functions that report values: durations in seconds to histograms, amounts to counters, and current values to gauges.
 */
export type Meters<Name extends string> = {
  count(name: Name, labels?: Labels, by?: number): void;
  observe(name: Name, seconds: number, labels?: Labels): void;
  set(name: Name, value: number, labels?: Labels): void;
  /** Removes all values, so that outdated label values disappear. */
  clear(name: Name): void;
};

/** Registers series, and returns the functions that report their values. */
export function createMeters<Name extends string>(
  registry: Registry,
  series: Readonly<Record<Name, Series>>,
): Meters<Name> {
  const meters = Object.fromEntries(
    Object.entries<Series>(series).map(([name, each]) => [name, createMeter(registry, name, each)]),
  ) as Record<Name, Counter | Gauge | Histogram>;

  return {
    count(name, labels = {}, by = 1) {
      const meter = meters[name];
      if (meter instanceof Counter) meter.inc(labels, by);
    },
    observe(name, seconds, labels = {}) {
      const meter = meters[name];
      // Report at least 0, because the clocks of two machines may differ and a duration can be negative.
      if (meter instanceof Histogram) meter.observe(labels, Math.max(0, seconds));
    },
    set(name, value, labels = {}) {
      const meter = meters[name];
      if (meter instanceof Gauge) meter.set(labels, value);
    },
    clear(name) {
      meters[name].reset();
      // Remove the value of 0 that a series without labels starts with.
      if (series[name].labels.length === 0) meters[name].remove();
    },
  };
}

function createMeter(registry: Registry, name: string, { type, help, labels, buckets }: Series) {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  switch (type) {
    case 'counter':
      return new Counter(options);
    case 'gauge':
      return new Gauge(options);
    case 'histogram':
      return new Histogram({ ...options, buckets: [...(buckets ?? [])] });
  }
}
