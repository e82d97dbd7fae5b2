/** Describes one series of `/metrics`. */
export type Series = {
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** Description of the series in the docs and in the output of `/metrics`. */
  help: string;
  /** Upper bounds of the histogram's buckets, in seconds. */
  buckets?: readonly number[];
};

export const counter = (help: string, ...labels: string[]): Series => ({
  type: 'counter',
  help,
  labels,
});
export const gauge = (help: string, ...labels: string[]): Series => ({
  type: 'gauge',
  help,
  labels,
});
export const histogram = (
  help: string,
  buckets: readonly number[],
  ...labels: string[]
): Series => ({ type: 'histogram', help, buckets, labels });

/** Upper bounds of the buckets for calls over the network, in seconds. */
export const callSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 6];

const statementSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 2, 5];

/** Metrics that every process serves. */
export const processSeries = {
  slash_agent_database_statements_total: counter(
    'Database statements. `kind`: `select`, `insert`, `update`, `delete` or `other`',
    ...['kind', 'outcome'],
  ),
  slash_agent_database_seconds: histogram(
    'Duration of database statements',
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
  slash_agent_process_start_seconds: gauge('Start time of the process, in Unix time'),
  slash_agent_scrape_problems: gauge(
    "1 if the database didn't answer this scrape in time; its gauges are then missing",
  ),
} as const;
