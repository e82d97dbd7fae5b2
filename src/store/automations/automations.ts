import { type Insertable, sql } from 'kysely';
import type { Automation, Trigger } from '../../automations/automation.ts';
import { insertEntry } from '../audit/audit.ts';
import { hasActiveInstallation } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import type { AutomationsTable } from '../schema-automations.ts';
import {
  createAutomationChanges,
  findRejection,
  lockNames,
  type Rejection,
} from './automation-changes.ts';
import { createAutomationList } from './automation-list.ts';
import {
  type NewAutomation,
  nextColumns,
  readAutomation,
  secretColumn,
  triggerColumns,
  within,
  writeAutomation,
} from './automation-row.ts';

export type Automations = ReturnType<typeof createAutomations>;

/** Creates the store of automations. Each change is in the audit log, in the same transaction. */
export function createAutomations(db: Db) {
  /** Returns the automations of a channel that are on and have this trigger. Uses an index, as every message does. */
  const fired = (teamId: string, channelId: string, kind: Trigger['kind']) =>
    db
      .selectFrom('automations')
      .selectAll()
      .where('team_id', '=', teamId)
      .where('channel_id', '=', channelId)
      .where('trigger_kind', '=', kind)
      // Write this exactly like the condition of the index, so that the database uses the index.
      .where(sql<boolean>`pause_json is null`);

  return {
    ...createAutomationChanges(db),
    ...createAutomationList(db),

    /**
     * Creates an automation. The same ID again is a repeated click, which changes nothing.
     * @param secret secret of a webhook
     */
    create: (
      automation: NewAutomation,
      by: string,
      secret?: string,
    ): Promise<'created' | Rejection> =>
      within(db, async (trx) => {
        await lockNames(trx, automation.teamId);
        const rejection = await findRejection(trx, automation);
        if (rejection) return rejection;
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('automations')
          .values(firstRow(trx, automation, by, secret))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 1n)
          await insertEntry(trx, {
            teamId: automation.teamId,
            actorId: by,
            action: 'automation_created',
            entity: { type: 'automation', id: automation.id },
            channelId: automation.channelId,
            details: { name: automation.name, trigger: automation.definition.trigger.kind },
          });
        return 'created';
      }),

    async find(teamId: string, id: string): Promise<Automation | undefined> {
      const row = await db
        .selectFrom('automations')
        .selectAll()
        .where('id', '=', id)
        .where('team_id', '=', teamId)
        .executeTakeFirst();
      return row && readAutomation(row);
    },

    /** Returns the automation of a webhook address, in any workspace that has the app, with the secrets that work. */
    async findHook(id: string): Promise<{ automation: Automation; secrets: string[] } | undefined> {
      const row = await db
        .selectFrom('automations')
        .selectAll()
        .where('id', '=', id)
        .where('trigger_kind', '=', 'webhook')
        .where(hasActiveInstallation('automations'))
        .executeTakeFirst();
      if (!row) return undefined;
      const isPreviousValid = (row.previous_secret_until ?? 0) > Date.now();
      const secrets = [row.secret, isPreviousValid ? row.previous_secret : null];
      return { automation: readAutomation(row), secrets: secrets.flatMap((each) => each ?? []) };
    },

    /** Returns the automations that messages in this channel can fire. */
    async onMessages(teamId: string, channelId: string): Promise<Automation[]> {
      return (await fired(teamId, channelId, 'message').execute()).map(readAutomation);
    },

    /** Returns the automations that this emoji fires in this channel. */
    async onReaction(teamId: string, channelId: string, emoji: string): Promise<Automation[]> {
      const rows = await fired(teamId, channelId, 'reaction')
        .where('trigger_key', '=', emoji)
        .execute();
      return rows.map(readAutomation);
    },

    /** Returns all automations, of one workspace or of all, sorted by channel and name. */
    async allOf(teamId?: string): Promise<Automation[]> {
      const all = db.selectFrom('automations').selectAll();
      const rows = await (teamId === undefined ? all : all.where('team_id', '=', teamId))
        .orderBy('team_id')
        .orderBy('channel_id')
        .orderBy('name')
        .execute();
      return rows.map(readAutomation);
    },
  };
}

function firstRow(db: Db, automation: NewAutomation, by: string, secret: string | undefined) {
  const { id, createdAt, definition, nextAt } = automation;
  const more = { pause: null, failedStarts: 0, changedAt: createdAt, changedBy: by, revision: 0 };
  return {
    ...writeAutomation({ ...automation, ...more }, id),
    ...triggerColumns(definition),
    ...nextColumns(db, nextAt),
    secret: secret === undefined ? null : secretColumn(id, secret),
  } as Insertable<AutomationsTable>;
}
