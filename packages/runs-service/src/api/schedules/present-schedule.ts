import type { AgentConfig } from 'runs-client/contract';
import type { Schedule as ApiSchedule } from 'runs-client/schedule';
import type { Schedule } from '../../store/schedule.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { withoutKeys } from '../runs/present-run.ts';

const timestamp = (epochMs: number | null) =>
  epochMs === null ? null : new Date(epochMs).toISOString();

/** Converts a schedule to the API's format. Only its creator sees the keys of MCP servers. */
export function presentSchedule(schedule: Schedule, reader: KeyOwner): ApiSchedule {
  const { prompt, metadata } = schedule.request;
  const config: AgentConfig | undefined = schedule.request.config;
  const isCreator = reader.creator.uid === schedule.creatorUid;
  return {
    id: schedule.id,
    name: schedule.name,
    cron_schedule: schedule.cron,
    time_zone: schedule.timeZone,
    enabled: schedule.enabled,
    prompt,
    ...(config && { agent_config: isCreator ? config : withoutKeys(config) }),
    metadata,
    created_at: new Date(schedule.createdAt).toISOString(),
    updated_at: new Date(schedule.updatedAt).toISOString(),
    created_by: schedule.owner.creator,
    updated_by: schedule.updatedBy,
    history: { last_ran: timestamp(schedule.lastRanAt), next_run: timestamp(schedule.nextAt) },
    last_spawn_error: schedule.lastError,
  };
}
