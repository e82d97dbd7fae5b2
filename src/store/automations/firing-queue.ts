import { claimOneByOne, createLeases } from 'base/database/leases';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import { type Lease, LeaseLost } from 'base/leased-work';
import { sql } from 'kysely';
import { type Automation, failedStartsAllowed } from '../../automations/automation.ts';
import { decideStart, hourBefore, type StartFacts } from '../../automations/decide-start.ts';
import type { Firing } from '../../automations/firing.ts';
import type { FiringQueue, LeasedFiring, Settlement } from '../../automations/port.ts';
import { requestProblemSchema } from '../../requests/run-progress.ts';
import { liveSteps } from '../../requests/steps.ts';
import { hasActiveInstallation } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import { pauseWithin } from './automation-changes.ts';
import { readAutomation } from './automation-row.ts';
import { readLeasedFiring } from './firing-row.ts';

/** Time for which requests can be active, in ms. A run that doesn't change for a week isn't followed anymore. */
const activeForMs = 14 * 24 * 60 * 60_000;

/** Duration of a write, in ms, after which the lease is checked again. Much shorter than a lease. */
const slowMs = 1_000;

/** Creates the queue of firings to decide about. Writes of one automation wait for each other. */
export function createFiringQueue(db: Db): FiringQueue {
  const leases = createLeases(db, 'automation_firings', {
    which: hasActiveInstallation('automation_firings'),
  });

  return {
    claim: claimOneByOne(leases, readLeasedFiring),
    renew: leases.renew,
    nextDueInMs: leases.nextDueInMs,
    release: (finished) => leases.release(finished, ({ changes }) => ({ ...changes })),

    async read(firing) {
      const automation = await findAutomation(db, firing.automationId);
      const { fired } = firing.content;
      const bodyOf = fired.kind === 'test' ? fired.ofFiring : firing.id;
      const row = await db
        .selectFrom('automation_firings')
        .select(['id', 'body'])
        .where('id', '=', bodyOf ?? '')
        .where('automation_id', '=', firing.automationId)
        .executeTakeFirst();
      return { automation, body: row?.body ?? undefined };
    },

    async begin(firing, maxStartsPerHour) {
      const beganAt = Date.now();
      const begun = await db.transaction().execute(async (trx) => {
        await lockUntilCommit(trx, lockOf(firing));
        const automation = await findAutomation(trx, firing.automationId);
        const decision = decideStart(await readFacts(trx, firing, automation, maxStartsPerHour));
        const countedAt = firing.countedAt ?? Date.now();
        if (decision.decision === 'start') await write(trx, firing, { counted_at: countedAt });
        return { automation, decision, countedAt };
      });
      const { automation, decision, countedAt } = begun;
      if (decision.decision === 'start') firing.countedAt = countedAt;
      // Check the lease again after a slow write, because this process may have been frozen meanwhile.
      if (Date.now() - beganAt > slowMs) await leases.check(firing);
      return { automation, decision };
    },

    settle: (firing, end) =>
      db.transaction().execute(async (trx) => {
        await lockUntilCommit(trx, lockOf(firing));
        if (end.state === 'started' && !(await isAccepted(trx, firing))) return false;
        const isCounted = end.state === 'started' || end.state === 'failed';
        await write(trx, firing, {
          state: end.state,
          reason: end.reason,
          ...(!isCounted && { counted_at: null }),
        });
        if (end.state === 'failed') await noteFailure(trx, firing, end);
        return true;
      }),

    async readStart({ requestId }) {
      const row = await db
        .selectFrom('requests')
        .select(['step', 'problem_json'])
        .where('id', '=', requestId)
        .executeTakeFirst();
      if (row?.step === 'accepted' || row?.step === 'posted') return 'starting';
      if (row?.step !== 'not_started') return 'running or over';
      const problem = requestProblemSchema.safeParse(JSON.parse(row.problem_json ?? 'null'));
      return { notStarted: mrkdwn(problem.data?.message ?? "Its run wasn't started.") };
    },

    async confirmStart({ automationId }) {
      await db
        .updateTable('automations')
        .set({ failed_starts: 0 })
        .where('id', '=', automationId)
        .where('failed_starts', '>', 0)
        .execute();
    },
  };
}

/** Escapes a plain text, because reasons are mrkdwn. */
const mrkdwn = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const lockOf = ({ automationId }: Firing) => `automation ${automationId}`;

async function findAutomation(db: Db, id: string): Promise<Automation | undefined> {
  const row = await db
    .selectFrom('automations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readAutomation(row);
}

async function isAccepted(trx: Db, { requestId }: Firing): Promise<boolean> {
  const found = trx.selectFrom('requests').select('id').where('id', '=', requestId);
  return (await found.executeTakeFirst()) !== undefined;
}

type Columns = { state?: string; reason?: string | null; counted_at?: number | null };

async function write(trx: Db, { id, version }: Lease, columns: Columns): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('automation_firings')
    .set(columns)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new LeaseLost(`${id} belongs to another replica now`);
}

async function readFacts(
  trx: Db,
  firing: LeasedFiring,
  automation: Automation | undefined,
  maxStartsPerHour = Number.POSITIVE_INFINITY,
): Promise<StartFacts> {
  const now = Date.now();
  const others = trx
    .selectFrom('automation_firings')
    .where('automation_id', '=', firing.automationId)
    .where('id', '<>', firing.id);
  const counted = others.where('counted_at', '>', hourBefore(now));
  const hasRequest = sql<boolean>`exists (select 1 from requests where requests.id = request_id)`;
  const inHour = await counted
    .select((row) => row.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  const begun = await others
    .where('counted_at', 'is not', null)
    .where('state', '=', 'waiting')
    .where((row) => row.not(hasRequest))
    .select('request_id')
    .execute();
  const active = await trx
    .selectFrom('requests')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('automation_id', '=', firing.automationId)
    .where('accepted_at', '>', now - activeForMs)
    .where('step', 'in', liveSteps)
    .executeTakeFirst();
  return {
    automation,
    firing,
    now,
    failures: firing.failures,
    isAccepted: await isAccepted(trx, firing),
    startsPerHour: Math.min(automation?.definition.startsPerHour ?? 0, maxStartsPerHour),
    startsInHour: Number(inHour?.n ?? 0),
    activeRuns: Number(active?.n ?? 0),
    begunRequests: begun.flatMap((row) => row.request_id ?? []),
    hasEarlierWaiting: await hasEarlierWaiting(trx, firing, automation),
  };
}

/** Returns true if an earlier due time waits for the last run. Other firings don't wait for runs. */
async function hasEarlierWaiting(
  trx: Db,
  { id, automationId, happenedAt, content }: Firing,
  automation: Automation | undefined,
): Promise<boolean> {
  const trigger = automation?.definition.trigger;
  const isQueued = trigger?.kind === 'schedule' && trigger.overlap === 'queue';
  if (!isQueued || content.fired.kind !== 'schedule') return false;
  const row = await trx
    .selectFrom('automation_firings')
    .select('id')
    .where('automation_id', '=', automationId)
    .where('happened_at', '<', happenedAt)
    .where('id', '<>', id)
    .where('id', 'like', `${automationId} at %`)
    .where('state', '=', 'waiting')
    .where('counted_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts a failed start. Pauses the automation if there were too many in a row, or for its owner. */
async function noteFailure(
  trx: Db,
  { automationId }: Firing,
  { reason, ownerPause }: Settlement,
): Promise<void> {
  const at = Date.now();
  if (ownerPause !== undefined) {
    const pause = { code: 'owner', sentence: ownerPause, by: 'system', at } as const;
    await pauseWithin(trx, automationId, pause);
    return;
  }
  const row = await trx
    .updateTable('automations')
    .set({ failed_starts: sql<number>`failed_starts + 1` })
    .where('id', '=', automationId)
    .returning('failed_starts')
    .executeTakeFirst();
  if (!row || row.failed_starts < failedStartsAllowed) return;
  const sentence = `${row.failed_starts} starts in a row failed. The last reason: ${reason}`;
  await pauseWithin(trx, automationId, { code: 'failures', sentence, by: 'system', at });
}
