import type { Meters } from 'base/metrics/registry';
import { LRUCache } from 'lru-cache';
import type { RunRequest } from '../store/requests/request-row.ts';
import type { botSeries } from './series.ts';

/** Time after which Slack treats a delivery as not acknowledged, in ms. */
const lateMs = 3_000;
const mostChanges = 10_000;

/** Metric labels of the states in which runs end. A service may have additional states. */
const endStates: Partial<Record<string, string>> = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELLED: 'canceled',
};

type Timed = { ms: number };

/** Creates the callbacks that count events for metrics. */
export function createBotReports({ count, observe }: Meters<keyof typeof botSeries>) {
  /** Times of run changes that no message shows yet, by request ID. */
  const changes = new LRUCache<string, number>({ max: mostChanges });

  return {
    onDelivery({ kind, ackMs }: { kind: string; ackMs: number | undefined }): void {
      const isLate = ackMs !== undefined && ackMs > lateMs;
      const outcome = ackMs === undefined ? 'unanswered' : isLate ? 'late' : 'acknowledged';
      count('slash_agent_deliveries_total', { kind, outcome });
      if (ackMs !== undefined)
        observe('slash_agent_acknowledgement_seconds', ackMs / 1_000, { kind });
    },

    onSlackCall({ method, outcome, ms }: Timed & { method: string; outcome: string }): void {
      count('slash_agent_slack_calls_total', { method, outcome });
      observe('slash_agent_slack_call_seconds', ms / 1_000, { method });
    },

    /** Called after each attempt of a call. `status` is undefined if no response arrived. */
    onAttempt(
      attempt: Timed & {
        method: string;
        path: string;
        status?: number | undefined;
        connection: string;
      },
    ): void {
      const call = `${attempt.method} ${withoutIds(attempt.path)}`;
      const { status, connection } = attempt;
      const outcome = status === undefined ? 'unreachable' : `${Math.floor(status / 100)}xx`;
      count('slash_agent_runs_api_calls_total', { call, outcome, connection });
      observe('slash_agent_runs_api_call_seconds', attempt.ms / 1_000, { call, connection });
    },

    onWork({ what, outcome, ms }: Timed & { what: string; outcome: string }): void {
      count('slash_agent_work_total', { what, outcome });
      observe('slash_agent_work_seconds', ms / 1_000, { what });
    },

    /** Called after the follower has worked on a request. */
    onAdvance(before: RunRequest, after: RunRequest): void {
      const changedAt = Date.parse(after.run?.updated_at ?? '');
      if (after.run?.updated_at !== before.run?.updated_at && !Number.isNaN(changedAt))
        changes.set(after.id, changedAt);
      if (after.step === before.step) return;
      if (after.step === 'not_started')
        count('slash_agent_runs_ended_total', { state: 'not_started' });
      if (after.step === 'ended') {
        const state = endStates[after.run?.state ?? ''] ?? 'unknown';
        count('slash_agent_runs_ended_total', { state });
      }
    },

    /** Called when it's decided what a firing of an automation leads to. */
    onFired({ trigger, outcome }: { trigger: string; outcome: string }): void {
      count('slash_agent_automation_firings_total', { trigger, outcome });
    },

    onPosted({ kind, ms }: Timed & { kind: string }): void {
      observe('slash_agent_message_seconds', ms / 1_000, { kind });
    },

    /** Called when a run message shows the newest known state of its request. */
    onShown(requestId: string): void {
      const changedAt = changes.get(requestId);
      changes.delete(requestId);
      if (changedAt !== undefined)
        observe('slash_agent_change_seconds', (Date.now() - changedAt) / 1_000);
    },
  };
}

const withoutIds = (path: string): string =>
  path.replace(/^(\/agent\/(?:runs|artifacts)\/)(?!events$)[^/]+/, '$1:id');
