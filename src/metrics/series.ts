import { callSeconds, counter, gauge, histogram } from 'base/metrics/series';

const ackSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
const delaySeconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const workSeconds = [0.01, 0.05, 0.25, 1, 5, 15, 60];

const connectionHelp =
  "`connection`: `default` (the operator's), `added` (by admins of workspaces) or `own` (a person's key)";

/** Series of the bot. docs/metrics.md is generated from here. */
export const botSeries = {
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
