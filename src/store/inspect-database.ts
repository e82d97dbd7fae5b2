import { dialectOf } from 'base/database/database';
import { presentTables, readApplied } from 'base/database/migrations';
import { ownersOf, type Tables } from 'base/database/tables';
import { encryptingDialect } from 'base/encryption/encrypting-dialect';
import { readProof } from 'base/encryption/key-check';
import { type Encryption, Unreadable } from 'base/secrets/encryption';
import { Kysely } from 'kysely';
import { createBacklog, type OldestWaiting } from './backlog.ts';
import type { Db } from './schema.ts';
import { botTables } from './tables.ts';

/** Contents of a database. Times are epoch milliseconds. */
type Inspected =
  /** Reason why the database can't be opened. */
  | { problem: string }
  | (OldestWaiting & {
      /** Migrations that aren't applied, and those that this version doesn't know. */
      missing: string[];
      unknown: string[];
      /** True if the key can decrypt the secrets, or if the database contains none. */
      isReadable: boolean;
      /** IDs of the Slack workspaces whose data it contains. */
      teamIds: string[];
      /** Time of Slack's last delivery. Up to an hour too early, because it's stored once an hour. */
      deliveredAt: number | undefined;
    });

const bounds = { withinMs: 5_000, isAllOrNothing: false };

/** Reads a database without applying migrations. */
export async function inspectDatabase(
  url: string,
  tables: readonly Tables[],
  encryption: Encryption,
): Promise<Inspected> {
  let db: Db | undefined;
  try {
    db = new Kysely({
      dialect: encryptingDialect(dialectOf(url, bounds), ownersOf(tables), encryption),
    });
    return await inspect(db, tables);
  } catch (error) {
    return { problem: error instanceof Error ? error.message || error.name : String(error) };
  } finally {
    await db?.destroy();
  }
}

async function inspect(db: Db, tables: readonly Tables[]): Promise<Inspected> {
  const missing: string[] = [];
  const unknown: string[] = [];
  // Check only products that have used this database. Others create their tables when they first start.
  const present = await presentTables(db, tables);
  for (const each of present) {
    const applied = await readApplied(db, each);
    const names = Object.keys(each.migrations);
    missing.push(...names.filter((name) => !applied.includes(name)));
    unknown.push(...applied.filter((name) => !names.includes(name)));
  }
  const nothing = { teamIds: [], deliveredAt: undefined, postAt: undefined };
  const empty = { ...nothing, itemAt: undefined, isReadable: true };
  if (missing.length > 0 || present.length === 0) return { missing, unknown, ...empty };
  if (!present.includes(botTables))
    return { missing, unknown, ...empty, isReadable: await isReadable(db) };
  const workspaces = await db
    .selectFrom('workspaces')
    .select(['team_id', 'delivered_at'])
    .execute();
  const deliveredAt = Math.max(...workspaces.map((each) => each.delivered_at ?? 0));
  return {
    missing,
    unknown,
    isReadable: await isReadable(db),
    teamIds: workspaces.map((each) => each.team_id),
    deliveredAt: deliveredAt > 0 ? deliveredAt : undefined,
    ...(await createBacklog(db).oldest()),
  };
}

async function isReadable(db: Db): Promise<boolean> {
  try {
    await readProof(db);
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}
