import { statfs } from 'node:fs/promises';
import { type Metrics, oldestSeconds } from 'base/metrics/metrics';
import { serviceSeries } from './series.ts';

type RunEnded = {
  environmentId: string;
  state: string;
  /** Time in the queue, in ms. Undefined if the run was restarted. */
  waitedMs: number | undefined;
  workedMs: number;
};

type ModelCall = {
  provider: string;
  model: string;
  micros: number;
  usage: { input: number; cacheRead: number; output: number } | undefined;
  outcome: string;
};

type ServiceState = {
  runs(): Promise<{ name: string; count: number; oldestAt: number }[]>;
  activeRuns(): number;
  dataDir: string;
  /** Counts the folders of runs that couldn't be deleted. */
  countQuarantined(): Promise<number>;
};

/** Registers the metrics of the runs service. Returns the functions with which the service updates them. */
export function createServiceMetrics({
  register,
  addReader,
}: Pick<Metrics, 'register' | 'addReader'>) {
  const { count, observe, set, clear } = register(serviceSeries);
  return {
    onRunEnded({ environmentId: environment, state, waitedMs, workedMs }: RunEnded): void {
      if (waitedMs !== undefined)
        observe('slash_agent_service_wait_seconds', waitedMs / 1_000, { environment });
      observe('slash_agent_service_run_seconds', workedMs / 1_000, { environment, state });
    },

    onAnswer(answer: { method: string; route: string; status: number; ms: number }): void {
      const { method, route } = answer;
      const status = `${Math.floor(answer.status / 100)}xx`;
      count('slash_agent_service_requests_total', { method, route, status });
      observe('slash_agent_service_request_seconds', answer.ms / 1_000, { method, route });
    },

    onCall({ provider, model, micros, usage, outcome }: ModelCall): void {
      count('slash_agent_service_model_calls_total', { provider, outcome });
      const labels = { provider, model };
      if (micros > 0) count('slash_agent_service_model_dollars_total', labels, micros / 1_000_000);
      if (!usage) return;
      const kinds = {
        input: usage.input - usage.cacheRead,
        cached: usage.cacheRead,
        output: usage.output,
      };
      for (const [kind, tokens] of Object.entries(kinds))
        if (tokens > 0)
          count('slash_agent_service_model_tokens_total', { ...labels, kind }, tokens);
    },

    onSent: (addedMs: number): void =>
      observe('slash_agent_service_model_added_seconds', addedMs / 1_000),

    onRejected: (reason: string): void =>
      count('slash_agent_service_model_rejections_total', { reason }),

    /** Updates the metrics from the service's current state each time the metrics are requested. */
    watch(state: ServiceState): void {
      addReader({
        async read() {
          set('slash_agent_service_active_runs', state.activeRuns());
          const { bavail, bsize } = await statfs(state.dataDir);
          set('slash_agent_service_free_bytes', bavail * bsize);
          set('slash_agent_service_undeleted_folders', await state.countQuarantined());
          clear('slash_agent_service_runs');
          const runs = await state.runs();
          for (const { name, count: amount } of runs)
            set('slash_agent_service_runs', amount, { state: name });
          const queued = runs.filter(({ name }) => name === 'QUEUED');
          set('slash_agent_service_queue_oldest_seconds', oldestSeconds(queued));
        },
        clear() {
          clear('slash_agent_service_runs');
          clear('slash_agent_service_queue_oldest_seconds');
        },
      });
    },
  };
}
