import { isDeepStrictEqual } from 'node:util';
import { isPostgres } from 'base/database/clock';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import { Secret } from 'base/encryption/secret';
import type { Selectable, UpdateObject } from 'kysely';
import { type Automation, mostInChannel, type Pause } from '../../automations/automation.ts';
import { type AutomationNotice, automationNoticeKind } from '../../automations/notice.ts';
import { insertEntry } from '../audit/audit.ts';
import { createOutbox, withoutLease } from '../outbox/outbox.ts';
import type { NewPost } from '../outbox/outbox-row.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import type { AutomationsTable } from '../schema-automations.ts';
import {
  nextColumns,
  readAutomation,
  secretColumn,
  triggerColumns,
  within,
  writeAutomation,
} from './automation-row.ts';

/**
 * New values of an automation. `ownerId` makes someone else its owner. `secret` is for a new webhook, and for one with a
 * new owner.
 */
export type NextAutomation = Pick<Automation, 'name' | 'channelId' | 'definition' | 'nextAt'> & {
  ownerId?: string | undefined;
  secret?: string | undefined;
};

/** Time for which a replaced secret still works, in ms. */
const secretOverlapMs = 24 * 60 * 60_000;

type Row = Selectable<AutomationsTable>;
type Columns = UpdateObject<DatabaseSchema, 'automations'>;

/** Creates the changes of automations. Each adds an entry to the audit log in the same transaction. */
export function createAutomationChanges(db: Db) {
  /** Reads a row, locks it, and writes what `next` returns. Undefined changes nothing. */
  const changeRow = (id: string, next: (trx: Db, row: Row) => Promise<Columns | undefined>) =>
    within(db, async (trx) => {
      const row = await lockRow(trx, id);
      const columns = row && (await next(trx, row));
      if (!columns) return false;
      await trx.updateTable('automations').set(columns).where('id', '=', id).execute();
      return true;
    });

  return {
    /**
     * Changes an automation. A new owner turns it on again.
     * @param revision revision that the person has seen
     */
    async change(
      id: string,
      revision: number,
      next: NextAutomation,
      by: string,
    ): Promise<'changed' | Rejection | 'outdated'> {
      return within(db, async (trx) => {
        const before = await trx
          .selectFrom('automations')
          .select('team_id')
          .where('id', '=', id)
          .executeTakeFirst();
        if (!before) return 'outdated';
        await lockNames(trx, before.team_id);
        const row = await lockRow(trx, id);
        if (!row || row.revision !== revision) return 'outdated';
        const rejection = await findRejection(trx, { id, teamId: row.team_id, ...next });
        if (rejection) return rejection;
        await trx
          .updateTable('automations')
          .set(changedColumns(trx, row, next, by))
          .where('id', '=', id)
          .execute();
        const isTakenOver = next.ownerId !== undefined && next.ownerId !== row.owner_id;
        const action = isTakenOver ? 'automation_taken_over' : 'automation_changed';
        await note(trx, { ...row, ...next }, action, by);
        return 'changed';
      });
    },

    /**
     * Pauses an automation. Unless a person does it, its owner and its channel are told.
     * @returns false if it's paused already
     */
    pause: (id: string, pause: Pause): Promise<boolean> =>
      within(db, (trx) => pauseWithin(trx, id, pause)),

    /** Turns a paused automation on. Returns false if it's on. */
    resume: (id: string, nextAt: number | null, by: string): Promise<boolean> =>
      changeRow(id, async (trx, row) => {
        if (row.pause_json === null) return undefined;
        await note(trx, row, 'automation_resumed', by);
        return { pause_json: null, failed_starts: 0, ...nextColumns(trx, nextAt) };
      }),

    /** Deletes an automation and its history. Its runs stay. */
    remove: (id: string, by: string): Promise<boolean> =>
      within(db, async (trx) => {
        await lockUntilCommit(trx, `automation ${id}`);
        const row = await lockRow(trx, id);
        if (!row) return false;
        await trx.deleteFrom('automations').where('id', '=', id).execute();
        await trx.deleteFrom('automation_firings').where('automation_id', '=', id).execute();
        await note(trx, row, 'automation_deleted', by);
        return true;
      }),

    /** Replaces the secret of a webhook. The earlier one works for another day. */
    replaceSecret: (id: string, secret: string, by: string): Promise<boolean> =>
      changeRow(id, async (trx, row) => {
        if (row.trigger_kind !== 'webhook') return undefined;
        await note(trx, row, 'automation_secret_replaced', by);
        return {
          secret: secretColumn(id, secret),
          previous_secret:
            row.secret === null ? null : new Secret('previous_secret', id, row.secret),
          previous_secret_until: Date.now() + secretOverlapMs,
        };
      }),
  };
}

/** Pauses an automation in a transaction. Returns false if it's paused already or deleted. */
export async function pauseWithin(trx: Db, id: string, pause: Pause): Promise<boolean> {
  const row = await lockRow(trx, id);
  if (row?.pause_json !== null) return false;
  const columns = { pause_json: JSON.stringify(pause), ...withoutLease, ...nextColumns(trx, null) };
  await trx.updateTable('automations').set(columns).where('id', '=', id).execute();
  if (pause.code !== 'person') await createOutbox(trx).plan(noticesOf(row, pause));
  await note(trx, row, 'automation_paused', pause.by, { reason: pause.code });
  return true;
}

/** Keeps others from using the names of a workspace's automations until this transaction ends. */
export const lockNames = (trx: Db, teamId: string) =>
  lockUntilCommit(trx, `automation names of ${teamId}`);

/** Why an automation can't be in its channel. */
export type Rejection = 'name taken' | 'channel full';

export async function findRejection(
  trx: Db,
  { id, teamId, channelId, name }: Pick<Automation, 'id' | 'teamId' | 'channelId' | 'name'>,
): Promise<Rejection | undefined> {
  const inChannel = await trx
    .selectFrom('automations')
    .select(['id', 'name'])
    .where('team_id', '=', teamId)
    .where('channel_id', '=', channelId)
    .execute();
  const others = inChannel.filter((row) => row.id !== id);
  if (others.some((row) => row.name === name)) return 'name taken';
  const isNewThere = others.length === inChannel.length;
  return isNewThere && others.length >= mostInChannel ? 'channel full' : undefined;
}

function lockRow(trx: Db, id: string): Promise<Row | undefined> {
  const row = trx.selectFrom('automations').selectAll().where('id', '=', id);
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst();
}

function changedColumns(db: Db, row: Row, next: NextAutomation, by: string): Columns {
  const { ownerId = row.owner_id, secret, definition, nextAt, name, channelId } = next;
  const isNewOwner = ownerId !== row.owner_id;
  const isOn = isNewOwner || row.pause_json === null;
  const isWebhook = definition.trigger.kind === 'webhook';
  // Keep the due time of a schedule that stays the same, because it may be due now.
  const keepsTime =
    isOn &&
    row.pause_json === null &&
    isDeepStrictEqual(readAutomation(row).definition.trigger, definition.trigger);
  return {
    ...writeAutomation({ name, channelId, ownerId, definition }, row.id),
    ...triggerColumns(definition),
    ...nextColumns(db, keepsTime ? row.next_at : isOn ? nextAt : null),
    ...withoutLease,
    ...(isNewOwner && { pause_json: null, failed_starts: 0 }),
    // The earlier owner and others can know the secret of a webhook, so a new owner doesn't keep it.
    ...((isNewOwner || !isWebhook) && noSecrets),
    ...(isWebhook && secret !== undefined && { secret: secretColumn(row.id, secret) }),
    ...(channelId !== row.channel_id && { moved_at: Date.now() }),
    changed_at: Date.now(),
    changed_by: by,
    revision: row.revision + 1,
  };
}

const noSecrets = { secret: null, previous_secret: null, previous_secret_until: null };

type Noted = Pick<Row, 'id' | 'team_id' | 'channel_id' | 'name'> & { channelId?: string };

const note = (
  trx: Db,
  { id, team_id: teamId, channel_id, channelId = channel_id, name }: Noted,
  action: string,
  by: string,
  details: { reason?: string } = {},
) =>
  insertEntry(trx, {
    teamId,
    actorId: by,
    action,
    entity: { type: 'automation', id },
    channelId,
    details: { name, ...details },
  });

/** Returns the posts that tell the owner and the channel about a pause. */
function noticesOf(row: Row, { sentence, at }: Pause): NewPost[] {
  const { id, teamId, name, ownerId, channelId } = readAutomation(row);
  return [ownerId, null].map((userId) => ({
    id: `${automationNoticeKind} ${id} ${at} ${userId ?? 'channel'}`,
    kind: automationNoticeKind,
    teamId,
    requestId: null,
    content: {
      automationId: id,
      name,
      ownerId,
      channelId,
      userId,
      sentence,
    } satisfies AutomationNotice,
    dueAt: Date.now(),
  }));
}
