import { createHash } from 'node:crypto';
import { readableText } from 'base/readable-text';
import { cronProblem } from 'base/schedule/cron';
import { shownText } from 'base/secrets/mask-secrets';
import { isTimeZone } from 'base/time/local-time';
import type { AgentConfig } from 'runs-client/contract';
import { scheduleRequestSchema } from 'runs-client/schedule';
import { z } from 'zod';
import type { Schedule } from '../../store/schedule.ts';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-request.ts';
import {
  maxPromptCharacters,
  normalMode,
  onlyFalse,
  promptFor,
  serviceCreateSchema,
  text,
} from '../runs/create-request.ts';

/** Schema of the body that creates or replaces a schedule. Rejects unknown members, like that of runs. */
export const serviceScheduleSchema = z.strictObject({
  ...scheduleRequestSchema.shape,
  name: text(500),
  cron_schedule: text(200),
  time_zone: text(100).optional(),
  agent_config: serviceCreateSchema.shape.config,
  mode: normalMode,
  team: onlyFalse,
});

/** Checked fields of a schedule. */
export type ReadSchedule = Pick<Schedule, 'name' | 'cron' | 'timeZone' | 'enabled'> & {
  request: { prompt: string; config?: AgentConfig | undefined; metadata: Record<string, string> };
};

/**
 * Reads and checks a request to create or replace a schedule.
 * @param earlier schedule to replace; its configuration, metadata and time zone stay if the body has none
 * @throws ApiProblem that names every invalid member
 */
export function readSchedule(body: unknown, earlier?: Schedule): ReadSchedule {
  const given = readBody(serviceScheduleSchema, body);
  const name = shownText(readableText(given.name)).trim();
  const config = given.agent_config ?? earlier?.request.config;
  const prompt = given.prompt?.trim() ? given.prompt : promptFor(config?.skill_spec);
  const timeZone = given.time_zone ?? earlier?.timeZone ?? 'UTC';
  const problems = [
    ...(name === '' ? ['name: must not be empty'] : []),
    ...(prompt === undefined ? ['prompt: must not be empty without a skill'] : []),
    ...timeProblems(given.cron_schedule, timeZone),
  ];
  if (prompt === undefined || problems.length > 0)
    throw new ApiProblem('invalid_request', problems.join('; '));
  const characters = [...prompt].length;
  if (characters > maxPromptCharacters)
    throw new ApiProblem(
      'cannot_be_processed',
      `prompt: has ${characters} characters; the limit is ${maxPromptCharacters}`,
    );
  return {
    name,
    cron: given.cron_schedule.trim(),
    timeZone,
    enabled: given.enabled ?? true,
    request: { prompt, config, metadata: given.metadata ?? earlier?.request.metadata ?? {} },
  };
}

function timeProblems(cron: string, timeZone: string): string[] {
  if (!isTimeZone(timeZone)) return ['time_zone: must be an IANA time zone, such as Europe/Berlin'];
  const problem = cronProblem({ cron, timeZone });
  return problem === undefined ? [] : [`cron_schedule: ${problem}`];
}

export const hashOf = (schedule: ReadSchedule): string =>
  createHash('sha256').update(JSON.stringify(schedule)).digest('hex');
