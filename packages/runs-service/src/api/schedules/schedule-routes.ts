import { randomUUID } from 'node:crypto';
import { nextTime } from 'base/schedule/cron';
import { type Context, Hono } from 'hono';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { Schedule, ScheduleChanges } from '../../store/schedule.ts';
import { maxSchedules, type Schedules } from '../../store/schedules.ts';
import type { CallerVariables } from '../keys/authentication.ts';
import type { KeyOwner } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { assertSupported, readJson } from '../read-request.ts';
import { findOrReject } from '../runs/new-run.ts';
import { readIdempotencyKey } from '../runs/runs-routes.ts';
import { canOpen, keyUidOf } from '../runs/visible-runs.ts';
import { presentSchedule } from './present-schedule.ts';
import { hashOf, type ReadSchedule, readSchedule } from './schedule-request.ts';

type Caller = { Variables: CallerVariables };
type OfSchedule = Context<Caller, '/agent/schedules/:id'>;

type ScheduleRoutesOptions = {
  schedules: Schedules;
  environments: () => readonly ServiceEnvironment[];
  /** Starts work on schedules now. */
  wake: () => void;
};

/**
 * Creates the routes of schedules. A key with the role `own` sees its owner's schedules, other keys see all. Only the
 * owner changes what a schedule starts, because its runs have the owner's permissions.
 */
export function createScheduleRoutes({ schedules, environments, wake }: ScheduleRoutesOptions) {
  const app = new Hono<Caller>();

  const notFound = (id: string) =>
    new ApiProblem('resource_not_found', `Schedule "${id.slice(0, 100)}" doesn't exist.`);
  async function find(context: OfSchedule): Promise<Schedule> {
    const id = context.req.param('id');
    const schedule = await schedules.find(id);
    const isVisible =
      schedule && canOpen(context.get('caller'), { creator_uid: schedule.creatorUid });
    if (!isVisible) throw notFound(id);
    return schedule;
  }
  const present = (context: Context<Caller>, schedule: Schedule): Response =>
    context.json(presentSchedule(schedule, context.get('caller')));

  async function change(
    context: OfSchedule,
    { id }: Schedule,
    changes: ScheduleChanges,
  ): Promise<Response> {
    const updatedBy = context.get('caller').creator;
    const changed = await schedules.change(id, { ...changes, updatedBy });
    if (!changed) throw notFound(id);
    wake();
    return present(context, changed);
  }

  app.get('/agent/schedules', async (context) => {
    assertSupported(new URL(context.req.url).searchParams, () => false);
    const { role, creator } = context.get('caller');
    const found = await schedules.list(role === 'own' ? creator.uid : undefined);
    const sorted = found.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    return context.json({
      schedules: sorted.map((each) => presentSchedule(each, context.get('caller'))),
    });
  });

  app.post('/agent/schedules', async (context) => {
    const key = readIdempotencyKey(context);
    const body = await readJson(context.req.raw);
    const schedule = await create(schedules, environments(), context.get('caller'), body, key);
    wake();
    return present(context, schedule);
  });

  app.get('/agent/schedules/:id', async (context) => present(context, await find(context)));

  app.put('/agent/schedules/:id', async (context) => {
    const earlier = await find(context);
    assertOwner(context.get('caller'), earlier);
    const body = await readJson(context.req.raw);
    return change(
      context,
      earlier,
      readChanges(environments(), context.get('caller'), body, earlier),
    );
  });

  app.delete('/agent/schedules/:id', async (context) => {
    const { id } = await find(context);
    return context.json({ success: await schedules.remove(id) });
  });

  app.post('/agent/schedules/:id/pause', async (context) => {
    const schedule = await find(context);
    if (!schedule.enabled) return present(context, schedule);
    return change(context, schedule, { enabled: false, nextAt: null });
  });

  app.post('/agent/schedules/:id/resume', async (context) => {
    const schedule = await find(context);
    if (schedule.enabled) return present(context, schedule);
    const nextAt = nextAtOf({ ...schedule, enabled: true });
    return change(context, schedule, { enabled: true, nextAt });
  });
  return app;
}

const nextAtOf = ({
  cron,
  timeZone,
  enabled,
}: Pick<ReadSchedule, 'cron' | 'timeZone' | 'enabled'>) =>
  enabled ? nextTime({ cron, timeZone }, Date.now()) : null;

/**
 * Stores a new schedule. If one was created with the same idempotency key, returns that one.
 * @throws ApiProblem if the schedule can't be used, or its owner has too many
 */
async function create(
  schedules: Schedules,
  environments: readonly ServiceEnvironment[],
  caller: KeyOwner,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<Schedule> {
  const read = readSchedule(body);
  findOrReject(environments, read.request.config?.environment_id, 'agent_config');
  const requestHash = hashOf(read);
  const keyUid = keyUidOf(caller);
  const schedule = await schedules.create({
    ...read,
    id: randomUUID(),
    creatorUid: caller.creator.uid,
    keyUid,
    owner: ownerOf(caller),
    updatedBy: caller.creator,
    idempotencyKey: idempotencyKey === undefined ? null : `${keyUid} ${idempotencyKey}`,
    requestHash,
    nextAt: nextAtOf(read),
  });
  if (!schedule)
    throw new ApiProblem(
      'cannot_be_processed',
      `This key's owner has ${maxSchedules} schedules, which is the limit. Delete one first.`,
    );
  if (schedule.requestHash !== requestHash)
    throw new ApiProblem(
      'cannot_be_processed',
      'This Idempotency-Key was used for another request. Use a new key for each request.',
    );
  return schedule;
}

function assertOwner(caller: KeyOwner, { keyUid, owner }: Schedule): void {
  if (keyUid === keyUidOf(caller)) return;
  throw new ApiProblem(
    'not_authorized',
    `Only ${owner.creator.display_name} can change this schedule, because its runs start with their permissions. You can pause or delete it, and create another one.`,
  );
}

/** Reads the changes of an update. A due time that hasn't started its run yet stays, unless the times change. */
function readChanges(
  environments: readonly ServiceEnvironment[],
  caller: KeyOwner,
  body: unknown,
  earlier: Schedule,
): ScheduleChanges {
  const read = readSchedule(body, earlier);
  findOrReject(environments, read.request.config?.environment_id, 'agent_config');
  const keepsTimes =
    read.enabled === earlier.enabled &&
    read.cron === earlier.cron &&
    read.timeZone === earlier.timeZone;
  return { ...read, owner: ownerOf(caller), ...(!keepsTimes && { nextAt: nextAtOf(read) }) };
}

const ownerOf = ({ role, creator }: KeyOwner): Schedule['owner'] => ({ role, creator });
