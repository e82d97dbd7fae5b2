import type { Meters } from 'base/metrics/registry';

type RunEnded = {
  environmentId: string;
  state: string;
  /** Undefined if the run was started over. */
  waitedMs: number | undefined;
  workedMs: number;
};

/** What the parts of the runs service call when something happened. */
export function createServiceReports({ count, observe }: Pick<Meters, 'count' | 'observe'>) {
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
  };
}
