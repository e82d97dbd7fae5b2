import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../call-options.ts';
import { idPath } from '../http/address.ts';
import type { ApiCall, ApiCalls } from '../http/api-calls.ts';
import type { Schedule, ScheduleRequest } from '../schedule.ts';

const loadSchedule = async () => (await import('../schedule.ts')).scheduleSchema;

/** Creates the methods of `client.schedules`. */
export function createScheduleCalls(calls: ApiCalls, isIdempotent: boolean) {
  const act = (id: string, action: 'pause' | 'resume', call?: CallOptions): ApiCall<Schedule> =>
    calls.typed(
      () => ({ method: 'POST', path: `${idPath('schedules', id)}/${action}`, repeatable: true }),
      loadSchedule,
      call,
    );
  return {
    /** Creates a schedule. Its runs start with the permissions of the key's owner. */
    create: (request: ScheduleRequest, call: CallOptions = {}): ApiCall<Schedule> =>
      calls.typed(
        { method: 'POST', path: '/agent/schedules', body: request, repeatable: isIdempotent },
        loadSchedule,
        { ...call, idempotencyKey: call.idempotencyKey ?? randomUUID() },
      ),
    get: (id: string, call?: CallOptions): ApiCall<Schedule> =>
      calls.typed(() => ({ method: 'GET', path: idPath('schedules', id) }), loadSchedule, call),
    list: (call?: CallOptions) =>
      calls.typed(
        { method: 'GET', path: '/agent/schedules' },
        async () => (await import('../schedule.ts')).listSchedulesResponseSchema,
        call,
      ),
    /** Replaces a schedule. Keeps the configuration, metadata and time zone that aren't given. */
    update: (id: string, request: ScheduleRequest, call?: CallOptions): ApiCall<Schedule> =>
      calls.typed(
        () => ({ method: 'PUT', path: idPath('schedules', id), body: request }),
        loadSchedule,
        call,
      ),
    /** Deletes a schedule. Its active runs continue. */
    delete: (id: string, call?: CallOptions) =>
      calls.typed(
        () => ({ method: 'DELETE', path: idPath('schedules', id) }),
        async () => (await import('../schedule.ts')).deletedScheduleSchema,
        call,
      ),
    pause: (id: string, call?: CallOptions) => act(id, 'pause', call),
    resume: (id: string, call?: CallOptions) => act(id, 'resume', call),
  };
}
