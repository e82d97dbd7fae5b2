import {
  type AgentConfig,
  type AgentProgress,
  isTerminalState,
  type Run,
  type RunStatusMessage,
} from 'runs-client/contract';
import { runUsageSchema } from '../../store/run-usage.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import type { RunResults } from './run-results.ts';

/** Formats a time as in RFC 3339, in UTC. */
const timestamp = (epochMs: number) => new Date(epochMs).toISOString();

/** Formats a duration as in ISO 8601, in seconds. */
const duration = (ms: number) => `PT${ms / 1000}S`;

type Presentation = {
  /** Owner of the reader's key. Only the creator sees the keys of MCP servers. */
  reader: Pick<KeyOwner, 'creator'> | undefined;
  sessionLink: string;
  /** Results of the run. Undefined for pages that don't show them. */
  results?: RunResults;
  /** Number of runs ahead of a queued run. */
  runsAhead?: number | undefined;
  progress?: AgentProgress | undefined;
};

/** Converts a stored run to the API's format. A started run has a session link, so that people can watch it live. */
export function presentRun(
  run: StoredRun,
  { reader, sessionLink, results = { artifacts: [] }, runsAhead, progress }: Presentation,
): Run {
  const status = readStatus(run, runsAhead);
  const hasStarted = run.state !== 'QUEUED';
  const config: AgentConfig = JSON.parse(run.config_json);
  const isCreator = reader?.creator.uid === run.creator_uid;
  return {
    run_id: run.id,
    task_id: run.id,
    title: run.title,
    prompt: run.prompt,
    state: run.state,
    created_at: timestamp(run.created_at),
    updated_at: timestamp(run.updated_at),
    ...(run.started_at !== null && { started_at: timestamp(run.started_at) }),
    ...(run.started_at !== null &&
      run.ended_at !== null && { run_time: duration(Math.max(0, run.ended_at - run.started_at)) }),
    ...(hasStarted && { session_id: run.id, session_link: sessionLink }),
    ...(status && { status_message: status }),
    agent_config: isCreator ? config : withoutKeys(config),
    creator: JSON.parse(run.creator_json),
    source: run.source,
    ...(run.schedule_json !== null && { schedule: JSON.parse(run.schedule_json) }),
    conversation_id: run.conversation_id,
    metadata: JSON.parse(run.metadata_json),
    ...results,
    ...(run.usage_json !== null && { request_usage: presentUsage(run.usage_json) }),
    is_run_type_cancellable: true,
    ...(progress && { agent_progress: progress }),
  };
}

/** Removes the parts of MCP servers that can contain keys: arguments, variables, headers and URL paths. */
export function withoutKeys({ mcp_servers: servers, ...config }: AgentConfig): AgentConfig {
  if (servers === undefined) return config;
  const shown = Object.entries(servers).map(([name, { command, url, warp_id }]) => {
    if (url !== undefined) return [name, { url: URL.canParse(url) ? new URL(url).origin : '' }];
    return [name, command === undefined ? { warp_id } : { command }];
  });
  return { ...config, mcp_servers: Object.fromEntries(shown) };
}

function presentUsage(json: string): Run['request_usage'] {
  const { costUsd, tokens, models, tightestCap: cap } = runUsageSchema.parse(JSON.parse(json));
  return {
    ...(costUsd !== undefined && { inference_cost_usd: costUsd }),
    ...(tokens !== undefined && { total_tokens: tokens }),
    ...(models && {
      models: models.map(({ costUsd, estimatedCalls, ...each }) => ({
        ...each,
        cost_usd: costUsd,
        estimated_calls: estimatedCalls,
      })),
    }),
    ...(cap && {
      tightest_cap: {
        scope: cap.scope,
        name: cap.name,
        limit_usd: cap.limitUsd,
        spent_usd: cap.spentUsd,
        per: cap.per,
        ...(cap.resetsAt !== undefined && { resets_at: timestamp(cap.resetsAt) }),
      },
    }),
  };
}

function readStatus(run: StoredRun, runsAhead?: number): RunStatusMessage | undefined {
  if (run.status_json !== null) return JSON.parse(run.status_json);
  if (run.cancel_requested && !isTerminalState(run.state)) return { message: 'Canceling' };
  if (run.state !== 'QUEUED' || runsAhead === undefined) return undefined;
  return { message: `${queuePosition(runsAhead)} in the queue` };
}

/**
 * Numbers of runs ahead that are shown. Other numbers are rounded down to one of these, because each change updates the
 * run's message.
 */
const positions = [1_000, 500, 200, 100, 50, 20, 10, 5, 3, 2, 1];

function queuePosition(runsAhead: number): string {
  const position = positions.find((each) => each <= runsAhead);
  if (position === undefined) return 'Next';
  const runs = position === 1 ? '1 run ahead' : `${position} runs ahead`;
  return position < runsAhead ? `More than ${runs}` : runs;
}
