import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meters } from './registry.ts';
import type { processSeries } from './series.ts';

const nanoseconds = 1e9;
/** Interval of the timer that measures event loop delay, in ms. Node includes it in the delay. */
const resolution = 10;
const percentiles = [50, 99, 100];

/**
 * Measures event loop delay, CPU time and memory of this process. `read` reports them, and `stop` ends the measuring.
 */
export function watchProcess({ count, set, clear }: Meters<keyof typeof processSeries>) {
  const lag = monitorEventLoopDelay({ resolution });
  lag.enable();
  return {
    read(): void {
      for (const percentile of percentiles) {
        const delay = lag.percentile(percentile);
        const seconds = Math.max(0, delay / nanoseconds - resolution / 1_000);
        set('slash_agent_loop_lag_seconds', seconds, { percentile: String(percentile) });
      }
      lag.reset();
      const { user, system } = process.cpuUsage();
      clear('slash_agent_process_cpu_seconds_total');
      count('slash_agent_process_cpu_seconds_total', {}, (user + system) / 1e6);
      set('slash_agent_process_resident_bytes', process.memoryUsage.rss());
      set('slash_agent_process_heap_bytes', process.memoryUsage().heapUsed);
      set('slash_agent_process_start_seconds', Math.round(performance.timeOrigin / 1_000));
    },
    stop: () => void lag.disable(),
  };
}
