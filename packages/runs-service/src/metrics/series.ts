import { callSeconds, counter, gauge, histogram } from 'base/metrics/series';

const waitSeconds = [1, 5, 15, 60, 300, 900, 3_600];
const addedSeconds = [0.001, 0.003, 0.005, 0.015, 0.05, 0.25, 1, 10];
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
  slash_agent_service_model_dollars_total: counter(
    'Cost of model calls in US dollars',
    ...['provider', 'model'],
  ),
  slash_agent_service_model_tokens_total: counter(
    'Tokens of model calls. `kind`: `input` (without cached), `cached` or `output`',
    ...['provider', 'model', 'kind'],
  ),
  slash_agent_service_model_calls_total: counter(
    'Model calls that were sent to a provider. `outcome`: `completed`, `cut`, `canceled`, `provider_error`, `unreachable` or `lost`',
    ...['provider', 'outcome'],
  ),
  slash_agent_service_model_rejections_total: counter(
    'Model calls that the gateway rejected. `reason`: the code of the error, such as `spend_cap`',
    'reason',
  ),
  slash_agent_service_model_added_seconds: histogram(
    'Time that the gateway adds to a model call before it reaches the provider, without waiting for people',
    addedSeconds,
  ),
  slash_agent_service_free_bytes: gauge('Free space for DATA_DIR'),
  slash_agent_service_undeleted_folders: gauge(
    "Folders of ended runs that can't be deleted, see the doctor",
  ),
} as const;
