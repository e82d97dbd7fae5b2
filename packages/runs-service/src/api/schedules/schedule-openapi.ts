import {
  answer,
  content,
  filtered,
  idempotencyKey,
  problem,
  reading,
  sending,
  writing,
} from '../openapi-answers.ts';

const scheduleId = { name: 'scheduleId', in: 'path', required: true, schema: { type: 'string' } };
const notFound = problem('Schedule not found');
const invalid = problem("A field is too long, or the environment doesn't exist");
const body = { required: true, content: content('ScheduleRequest') };

const act = (operationId: string, summary: string) => ({
  post: {
    operationId,
    summary,
    parameters: [scheduleId],
    responses: { ...writing, 200: answer('Schedule', 'The schedule'), 404: notFound },
  },
});

/** Describes the operations on schedules, by path. */
export const schedulePaths = {
  '/agent/schedules': {
    post: {
      operationId: 'createSchedule',
      summary: 'Create a schedule, which starts a run at each due time.',
      description:
        "Runs start with the permissions of the key's owner, and their source is `SCHEDULED_AGENT`.",
      parameters: [
        idempotencyKey(
          'Returns the same schedule for the same key and body. Rejects another body.',
        ),
      ],
      requestBody: body,
      responses: { ...sending, 200: answer('Schedule', 'The schedule'), 422: invalid },
    },
    get: {
      operationId: 'listSchedules',
      summary: 'List schedules by name.',
      responses: { ...filtered, 200: answer('Schedules', 'All') },
    },
  },
  '/agent/schedules/{scheduleId}': {
    get: {
      operationId: 'getSchedule',
      summary: 'Get a schedule.',
      parameters: [scheduleId],
      responses: { ...reading, 200: answer('Schedule', 'Found'), 404: notFound },
    },
    put: {
      operationId: 'updateSchedule',
      summary: 'Replace a schedule. Only its owner can.',
      description: 'Keeps `agent_config`, `metadata` and `time_zone` if the body lacks them.',
      parameters: [scheduleId],
      requestBody: body,
      responses: {
        ...sending,
        200: answer('Schedule', 'The schedule'),
        404: notFound,
        422: invalid,
      },
    },
    delete: {
      operationId: 'deleteSchedule',
      summary: 'Delete a schedule. Its active runs continue.',
      parameters: [scheduleId],
      responses: { ...writing, 200: answer('DeletedSchedule', 'Deleted'), 404: notFound },
    },
  },
  '/agent/schedules/{scheduleId}/pause': act('pauseSchedule', 'Pause a schedule.'),
  '/agent/schedules/{scheduleId}/resume': act(
    'resumeSchedule',
    'Resume a schedule. Times that were due during the pause start no run.',
  ),
};
