import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Series, type SeriesName, series } from '../../../../src/metrics/series.ts';

export type Labels = Record<string, string>;

/** Meters that parts report with. Seconds go to histograms, amounts to counters, and readings to gauges. */
export type Meters = ReturnType<typeof createMeters>;

/** All series, in a separate registry. */
export function createMeters() {
  const registry = new Registry();
  const meters = Object.fromEntries(
    Object.entries(series).map(([name, each]) => [name, createMeter(registry, name, each)]),
  ) as Record<SeriesName, Counter | Gauge | Histogram>;

  return {
    count(name: SeriesName, labels: Labels = {}, by = 1): void {
      const meter = meters[name];
      if (meter instanceof Counter) meter.inc(labels, by);
    },
    observe(name: SeriesName, seconds: number, labels: Labels = {}): void {
      const meter = meters[name];
      // Clocks of two machines may differ.
      if (meter instanceof Histogram) meter.observe(labels, Math.max(0, seconds));
    },
    set(name: SeriesName, value: number, labels: Labels = {}): void {
      const meter = meters[name];
      if (meter instanceof Gauge) meter.set(labels, value);
    },
    /** Forgets all values, so that labels without a new one disappear. */
    clear(name: SeriesName): void {
      meters[name].reset();
      // Otherwise it's 0.
      if (series[name].labels.length === 0) meters[name].remove();
    },
    text: () => registry.metrics(),
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
