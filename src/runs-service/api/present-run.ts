import type { Run, RunStatusMessage } from 'runs-client/contract';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { agentUsageSchema } from '../harnesses/steps/agent-step.ts';
import { hasEnded } from '../queue/run-state.ts';

/** RFC 3339, UTC, milliseconds. */
const timestamp = (epochMs: number) => new Date(epochMs).toISOString();

/** ISO 8601, in seconds with milliseconds. */
const duration = (ms: number) => `PT${ms / 1000}S`;

export type Presentation = {
  sessionLink: string;
  /** How many runs wait before this one; only asked of queued runs. */
  waitingBefore?: number;
};

/** A stored run as the API shows it. The link is there once the run has begun, so that people can watch it live. */
export function presentRun(run: ServiceRun, { sessionLink, waitingBefore }: Presentation): Run {
  const status = readStatus(run, waitingBefore);
  const begun = run.state !== 'QUEUED';
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
    ...(begun && { session_id: run.id, session_link: sessionLink }),
    ...(status && { status_message: status }),
    agent_config: JSON.parse(run.config_json),
    creator: JSON.parse(run.creator_json),
    source: run.source,
    conversation_id: run.conversation_id,
    metadata: JSON.parse(run.metadata_json),
    artifacts: [],
    ...(run.usage_json !== null && { request_usage: presentUsage(run.usage_json) }),
    is_run_type_cancellable: true,
  };
}

function presentUsage(json: string) {
  const { costUsd, tokens } = agentUsageSchema.parse(JSON.parse(json));
  return {
    ...(costUsd !== undefined && { inference_cost_usd: costUsd }),
    ...(tokens !== undefined && { total_tokens: tokens }),
  };
}

function readStatus(run: ServiceRun, waitingBefore?: number): RunStatusMessage | undefined {
  if (run.status_json !== null) return JSON.parse(run.status_json);
  if (run.cancel_requested && !hasEnded(run.state)) return { message: 'Being cancelled' };
  if (run.state !== 'QUEUED' || waitingBefore === undefined) return undefined;
  return {
    message: waitingBefore === 0 ? 'Next in the queue' : `${waitingBefore} before it in the queue`,
  };
}
