import { processEnvironment } from 'base/config/environment';
import { readDatabaseConfig } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import type { AnyDb, Tables } from 'base/database/tables';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { openEncryption } from 'base/secrets/encryption-keys';
import { createPersonData as createServicePersonData } from 'runs-service/store/person-data';
import { serviceTables } from 'runs-service/store/tables';
import { settings } from '../config/variables.ts';
import { ruleEntriesWithout, rulesKey, rulesWith, withoutPerson } from '../policy/stored-rules.ts';
import { createPersonData } from '../store/people/person-data.ts';
import { createSettings } from '../store/people/settings.ts';
import type { Db } from '../store/schema.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage:
  slash-agent people export <member ID>   print what is stored of a person, as JSON
  slash-agent people delete <member ID>   delete it, and print the IDs of their runs
The member ID, such as U0123ABCD, is in their Slack profile → ⋮ → Copy member ID.`;

const print = (text: string) => process.stdout.write(`${text}\n`);
const note = (text: string) => process.stderr.write(`${text}\n`);

/** Stores of people's data: the bot's and, if its tables exist, the runs service's. */
type PersonStores = {
  db: Db;
  data: ReturnType<typeof createPersonData>;
  serviceData: ReturnType<typeof createServicePersonData> | undefined;
};

const openPersonStores = (db: AnyDb, present: readonly Tables[]): PersonStores => ({
  db,
  data: createPersonData(db),
  serviceData: present.includes(serviceTables) ? createServicePersonData(db) : undefined,
});

async function exportPerson({ data, serviceData }: PersonStores, userId: string): Promise<void> {
  const stored = await data.read(userId);
  const signIns = (await serviceData?.signIns(userId)) ?? [];
  const modelCalls = (await serviceData?.modelCalls(userId)) ?? [];
  print(JSON.stringify({ user_id: userId, ...stored, signIns, modelCalls }, null, 2));
}

async function deletePerson(
  { db, data, serviceData }: PersonStores,
  userId: string,
): Promise<void> {
  const active = await data.active(userId);
  if (active > 0)
    throw new ExplainedError(
      `${userId} has ${active === 1 ? 'an active run' : `${active} active runs`}. Cancel them or wait for their end, then try again. Nothing was deleted.`,
    );
  // Remove the person from rules first. If that fails, the run IDs are still stored and can be printed later.
  const rules = await leaveRules(db, userId);
  await serviceData?.remove(userId);
  const { requests, runIds } = await data.remove(userId);
  for (const id of runIds) print(id);
  if (rules.length > 0)
    note(
      `${userId} is no longer in these rules, also where they reject something. Rules for ${userId} alone were removed. Check what the rest now allows: ${rules.join(', ')}`,
    );
  note(
    `Deleted ${requests === 1 ? '1 request' : `${requests} requests`} and all settings of ${userId}. Their messages stay in Slack. To delete the printed runs, with output and files: slash-agent runs-service runs delete <IDs>`,
  );
}

/**
 * Removes a person from rules that admins set in Slack. A policy file stays unchanged, because it belongs to the
 * operator.
 * @returns the names of the rules with this person
 */
async function leaveRules(db: Db, userId: string): Promise<string[]> {
  const settings = createSettings(db);
  const names: string[] = [];
  for (const owner of await settings.owners(rulesKey))
    await settings.change(owner, rulesKey, 'system', (rules) => {
      names.push(...rulesWith(rules, userId));
      const value = withoutPerson(rules, userId);
      return { value, entries: ruleEntriesWithout(userId, rules, value) };
    });
  return names;
}

const commands: Record<string, typeof exportPerson> = {
  export: exportPerson,
  delete: deletePerson,
};

export async function run([name = '', userId = '', ...more]: readonly string[]): Promise<void> {
  const command = commands[name];
  if (!command || !/^[UW][A-Z0-9]{2,}$/.test(userId) || more.length > 0)
    throw new ExplainedError(usage);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(settings, processEnvironment());
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  await withPresentTables(
    databaseUrl,
    [botTables, serviceTables],
    { encryption },
    async (db, present) => {
      if (!present.includes(botTables))
        throw new ExplainedError(
          'The bot has never used this database, so it has no data of people. Check DATABASE_URL and DATA_DIR.',
        );
      await command(openPersonStores(db, present), userId);
    },
  );
}
