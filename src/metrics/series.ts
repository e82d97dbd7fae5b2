/** Every series of `/metrics`. docs/metrics.md is generated from here. */

export type Series = {
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** Continues the name in the docs and in the output. */
  help: string;
  /** Upper bounds, in seconds. */
  buckets?: readonly number[];
};

const callSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 6];
const ackSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const statementSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 2, 5];
const delaySeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const workSeconds = [0.01, 0.05, 0.25, 1, 5, 15, 60];
const waitSeconds = [1, 5, 15, 60, 300, 900, 3_600];
const agentSeconds = [5, 30, 60, 300, 900, 1_800, 3_600, 14_400];

const counter = (help: string, ...labels: string[]): Series => ({ type: 'counter', help, labels });
const gauge = (help: string, ...labels: string[]): Series => ({ type: 'gauge', help, labels });
const histogram = (help: string, buckets: readonly number[], ...labels: string[]): Series => ({
  type: 'histogram',
  help,
  buckets,
  labels,
});

const connectionHelp =
  "`connection`: `default` (the operator's), `added` (by admins of workspaces) or `own` (a person's key)";

const botSeries = {
  slash_agent_deliveries_total: counter(
    'Deliveries from Slack. `outcome`: `acknowledged`, `late` (after 3 s) or `unanswered`',
    ...['kind', 'outcome'],
  ),
  slash_agent_acknowledgement_seconds: histogram(
    'From the arrival of a delivery to its acknowledgement',
    ackSeconds,
    'kind',
  ),
  slash_agent_slack_calls_total: counter(
    'Calls of the Slack Web API. `outcome`: `ok`, `refused`, `rate_limited` or `failed`',
    ...['method', 'outcome'],
  ),
  slash_agent_slack_call_seconds: histogram(
    'Duration of calls of the Slack Web API',
    callSeconds,
    'method',
  ),
  slash_agent_slack_connected: gauge('1 while deliveries from Slack can arrive'),
  slash_agent_runs_api_calls_total: counter(
    `Attempts to call the runs API. \`outcome\`: the status class such as \`2xx\`, or \`unreachable\`. ${connectionHelp}`,
    ...['call', 'outcome', 'connection'],
  ),
  slash_agent_runs_api_call_seconds: histogram(
    'Duration of attempts to call the runs API',
    callSeconds,
    ...['call', 'connection'],
  ),
  slash_agent_runs_api_failures: gauge(
    'Failures in a row of sweeps of the runs API, the most of any such connection; 0 is healthy',
    'connection',
  ),
  slash_agent_runs_ended_total: counter(
    'Requests that ended, by the state that people see: `succeeded`, `failed`, `canceled`, `not_started`, `unknown`',
    'state',
  ),
  slash_agent_requests: gauge('Requests that are under way, by step', 'step'),
  slash_agent_runs: gauge('Runs that are followed, by state', 'state'),
  slash_agent_message_seconds: histogram(
    'From the plan to post to the message in Slack. `kind` `run-message`: from start to message',
    delaySeconds,
    'kind',
  ),
  slash_agent_change_seconds: histogram(
    'From a change of a run, by the clock of the service, to the message that shows it',
    delaySeconds,
  ),
  slash_agent_outbox_posts: gauge('Posts that wait for Slack, by kind', 'kind'),
  slash_agent_outbox_oldest_seconds: gauge('Age of the oldest post that waits for Slack'),
  slash_agent_inbox_items: gauge('Items of the inbox that are not handled yet, by kind', 'kind'),
  slash_agent_inbox_oldest_seconds: gauge('Age of the oldest unhandled item of the inbox'),
  slash_agent_work_total: counter(
    'Pieces of background work. `outcome`: `done`, `failed` (repeated later) or `lost` (to another replica)',
    ...['what', 'outcome'],
  ),
  slash_agent_work_seconds: histogram('Duration of background work', workSeconds, 'what'),
  slash_agent_follower_idle_seconds: gauge('Time since the follower last asked the store for work'),
} as const;

/** What the runs service reports, embedded or in its own process. */
const serviceSeries = {
  slash_agent_service_runs: gauge(
    'Runs of the runs service that have not ended, by state',
    'state',
  ),
  slash_agent_service_queue_oldest_seconds: gauge('Age of the oldest queued run'),
  slash_agent_service_wait_seconds: histogram(
    'From the creation of a run to its start',
    waitSeconds,
    'environment',
  ),
  slash_agent_service_run_seconds: histogram(
    'From the start of a run to its end; the count is the number of runs. `state`: `SUCCEEDED`, `FAILED` or `CANCELLED`',
    agentSeconds,
    ...['environment', 'state'],
  ),
  slash_agent_service_active_runs: gauge('Runs that this process executes now'),
  slash_agent_service_requests_total: counter(
    'Requests to the runs service. `status`: the class, such as `2xx`',
    ...['method', 'route', 'status'],
  ),
  slash_agent_service_request_seconds: histogram(
    'Duration of requests to the runs service, without streams of events',
    callSeconds,
    ...['method', 'route'],
  ),
  slash_agent_service_free_bytes: gauge('Free space for DATA_DIR'),
  slash_agent_service_undeleted_folders: gauge(
    "Folders of ended runs that can't be deleted, see the doctor",
  ),
} as const;

const processSeries = {
  slash_agent_database_statements_total: counter(
    'Statements of the database. `kind`: `select`, `insert`, `update`, `delete` or `other`',
    ...['kind', 'outcome'],
  ),
  slash_agent_database_seconds: histogram(
    'Duration of statements of the database',
    statementSeconds,
    'kind',
  ),
  slash_agent_loop_lag_seconds: gauge(
    'Delay of the event loop since the last scrape. `percentile`: `50`, `99` or `100`',
    'percentile',
  ),
  slash_agent_process_cpu_seconds_total: counter('Processor time'),
  slash_agent_process_resident_bytes: gauge('Resident memory'),
  slash_agent_process_heap_bytes: gauge('Used part of the JavaScript heap'),
  slash_agent_process_start_seconds: gauge('When the process started, in Unix time'),
  slash_agent_scrape_problems: gauge(
    "1 if the store didn't answer this scrape in time; its gauges are missing then",
  ),
} as const;

export const groups = {
  'The bot': botSeries,
  'The runs service': serviceSeries,
  'Every process': processSeries,
};

export const series: Record<SeriesName, Series> = {
  ...botSeries,
  ...serviceSeries,
  ...processSeries,
};

export type SeriesName =
  | keyof typeof botSeries
  | keyof typeof serviceSeries
  | keyof typeof processSeries;
