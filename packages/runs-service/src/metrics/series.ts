import { callSeconds, counter, gauge, histogram } from 'base/metrics/series';

const waitSeconds = [1, 5, 15, 60, 300, 900, 3_600];
const agentSeconds = [5, 30, 60, 300, 900, 1_800, 3_600, 14_400];

/** Metrics of the runs service, whether embedded or in its own process. docs/metrics.md is generated from this list. */
export const serviceSeries = {
  slash_agent_service_runs: gauge(
    'Runs of the runs service that have not ended, by state',
    'state',
  ),
  slash_agent_service_queue_oldest_seconds: gauge('Age of the oldest queued run'),
  slash_agent_service_wait_seconds: histogram(
    'Time from the creation of a run to its start',
    waitSeconds,
    'environment',
  ),
  slash_agent_service_run_seconds: histogram(
    'Time from the start of a run to its end; the count is the number of runs. `state`: `SUCCEEDED`, `FAILED` or `CANCELLED`',
    agentSeconds,
    ...['environment', 'state'],
  ),
  slash_agent_service_active_runs: gauge('Runs that this process executes now'),
  slash_agent_service_requests_total: counter(
    'Requests to the runs service. `status`: the class, such as `2xx`',
    ...['method', 'route', 'status'],
  ),
  slash_agent_service_request_seconds: histogram(
    'Duration of requests to the runs service, without event streams',
    callSeconds,
    ...['method', 'route'],
  ),
  slash_agent_service_free_bytes: gauge('Free space for DATA_DIR'),
  slash_agent_service_undeleted_folders: gauge(
    "Folders of ended runs that can't be deleted, see the doctor",
  ),
} as const;
