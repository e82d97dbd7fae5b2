import { callSeconds, counter, gauge, histogram } from 'base/metrics/series';

const ackSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const delaySeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const workSeconds = [0.01, 0.05, 0.25, 1, 5, 15, 60];

const connectionHelp =
  "`connection`: `default` (the operator's), `added` (by admins of workspaces) or `own` (a person's key)";

/** Metrics of the bot. docs/metrics.md is generated from this list. */
export const botSeries = {
  slash_agent_deliveries_total: counter(
    'Deliveries from Slack. `outcome`: `acknowledged`, `late` (after 3 s) or `unanswered`',
    ...['kind', 'outcome'],
  ),
  slash_agent_acknowledgement_seconds: histogram(
    'Time from the arrival of a delivery to its acknowledgement',
    ackSeconds,
    'kind',
  ),
  slash_agent_slack_calls_total: counter(
    'Calls to the Slack Web API. `outcome`: `ok`, `rejected`, `rate_limited` or `failed`',
    ...['method', 'outcome'],
  ),
  slash_agent_slack_call_seconds: histogram(
    'Duration of calls to the Slack Web API',
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
    'Consecutive failed sweeps of the runs API, on the worst connection; 0 is healthy',
    'connection',
  ),
  slash_agent_runs_ended_total: counter(
    'Ended requests, by the state in Slack: `succeeded`, `failed`, `canceled`, `not_started`, `unknown`',
    'state',
  ),
  slash_agent_requests: gauge('Requests in progress, by step', 'step'),
  slash_agent_runs: gauge('Followed runs, by state', 'state'),
  slash_agent_message_seconds: histogram(
    'Time from planning a post to the message in Slack. `kind` `run-message`: from the start',
    delaySeconds,
    'kind',
  ),
  slash_agent_change_seconds: histogram(
    "Time from a change of a run, by the service's clock, to the message that shows it",
    delaySeconds,
  ),
  slash_agent_outbox_posts: gauge('Posts waiting for Slack, by kind', 'kind'),
  slash_agent_outbox_oldest_seconds: gauge('Age of the oldest post waiting for Slack'),
  slash_agent_inbox_items: gauge('Unprocessed items of the inbox, by kind', 'kind'),
  slash_agent_inbox_oldest_seconds: gauge('Age of the oldest unprocessed item of the inbox'),
  slash_agent_automation_firings_total: counter(
    'What fired automations. `trigger`: `schedule`, `webhook`, `message`, `reaction` or `test`. `outcome`: `started`, `unmatched` (by the filter), `skipped` (a limit, or a person without permission), `missed` or `failed`',
    ...['trigger', 'outcome'],
  ),
  slash_agent_work_total: counter(
    'Background work. `outcome`: `done`, `failed` (repeated later) or `lost` (to another replica)',
    ...['what', 'outcome'],
  ),
  slash_agent_work_seconds: histogram('Duration of background work', workSeconds, 'what'),
  slash_agent_follower_idle_seconds: gauge('Time since the follower last asked the store for work'),
} as const;
