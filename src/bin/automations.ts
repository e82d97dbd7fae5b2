import { parseArgs } from 'node:util';
import { processEnvironment } from 'base/config/environment';
import { readDatabaseConfig } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import { readYamlFile } from 'base/files/read-yaml-file';
import { createLogger } from 'base/logger';
import { openEncryption } from 'base/secrets/encryption-keys';
import {
  type Definition,
  mostInChannel,
  newAutomationId,
  nextAtOf,
  type WebhookSender,
} from '../automations/automation.ts';
import {
  compareWithFile,
  describeChanges,
  type FileChanges,
  label,
  writeAutomationsFile,
} from '../automations/file/compare-file.ts';
import {
  automationsFileSchema,
  definitionOf,
  type FileEntry,
} from '../automations/file/file-entry.ts';
import { createWebhookSecret, senderInText, senderTexts } from '../automations/webhook/senders.ts';
import { settings } from '../config/variables.ts';
import { type Automations, createAutomations } from '../store/automations/automations.ts';
import { createDatabaseOwner } from '../store/database-owner.ts';
import type { Db } from '../store/schema.ts';
import { botTables } from '../store/tables.ts';

export const usage = `Usage:
  slash-agent automations export                    print all automations as YAML
  slash-agent automations apply FILE.yml            create and change automations as in the file
  slash-agent automations apply FILE.yml --dry-run  show the difference and change nothing
Automations that the file doesn't name stay as they are. Webhooks keep their secrets until their owner changes; new secrets are printed.`;

/** Name of the operator in the audit log. */
const actor = 'system';

const print = (text: string) => void process.stdout.write(`${text}\n`);

type NewWebhook = { entry: FileEntry; id: string; sender: WebhookSender; secret: string };

/** Says where a new webhook is called, and how its deliveries are signed. */
function describeWebhook({ entry, id, sender, secret }: NewWebhook): string {
  const { makesSecret } = senderTexts[sender];
  const signing = makesSecret
    ? `get the secret from ${senderInText(sender)}, and paste it under Edit in Slack`
    : `secret: ${secret} (not shown again)`;
  return `\n${label(entry)} is called at /hooks/${id}\n  ${signing}`;
}

/** Applies a file in one transaction. Prints the difference, and then what new webhooks need. */
async function apply(db: Db, file: string, isDryRun: boolean): Promise<void> {
  const { automations: entries } = readYamlFile(file, 'automations file', automationsFileSchema);
  for (const { workspace } of entries)
    if (!(await createDatabaseOwner(db).has(workspace)))
      throw new ExplainedError(`The app isn't in workspace ${workspace}. Nothing was changed.`);
  const webhooks = await db.transaction().execute(async (trx) => {
    const automations = createAutomations(trx);
    const changes = compareWithFile(entries, await automations.allOf());
    for (const line of describeChanges(changes)) print(line);
    return isDryRun ? [] : write(automations, changes);
  });
  if (isDryRun) return print('Nothing was changed, because of --dry-run.');
  print('Applied.');
  for (const webhook of webhooks) print(describeWebhook(webhook));
}

async function write(automations: Automations, { created, changed }: FileChanges) {
  const webhooks: NewWebhook[] = [];
  const now = Date.now();
  for (const entry of created) {
    const definition = definitionOf(entry, undefined);
    const id = newAutomationId();
    const webhook = newWebhook(definition);
    const outcome = await automations.create(
      {
        id,
        teamId: entry.workspace,
        ownerId: entry.owner,
        channelId: entry.channel,
        name: entry.name,
        definition,
        nextAt: nextAtOf(definition, now),
        createdAt: now,
      },
      actor,
      webhook?.secret,
    );
    if (outcome !== 'created') throw notWritten(entry, outcome);
    if (webhook) webhooks.push({ entry, id, ...webhook });
    if (entry.paused) await automations.pause(id, pausedByFile(now));
  }
  for (const { automation, entry } of changed) {
    const { id, pause } = automation;
    const isSameOwner = entry.owner === automation.ownerId;
    // MCP servers stay with their owner, because they can contain keys.
    const definition = definitionOf(entry, isSameOwner ? automation.definition : undefined);
    const wasWebhook = automation.definition.trigger.kind === 'webhook';
    const webhook = wasWebhook && isSameOwner ? undefined : newWebhook(definition);
    const next = {
      name: entry.name,
      channelId: entry.channel,
      ownerId: entry.owner,
      definition,
      nextAt: nextAtOf(definition, now),
      secret: webhook?.secret,
    };
    const outcome = await automations.change(id, automation.revision, next, actor);
    if (outcome !== 'changed') throw notWritten(entry, outcome);
    if (webhook) webhooks.push({ entry, id, ...webhook });
    if (entry.paused ?? (pause !== null && isSameOwner))
      await automations.pause(id, pausedByFile(now));
    else await automations.resume(id, nextAtOf(definition, now), actor);
  }
  return webhooks;
}

const newWebhook = ({ trigger }: Definition) =>
  trigger.kind === 'webhook'
    ? { sender: trigger.sender, secret: createWebhookSecret() }
    : undefined;

const pausedByFile = (at: number) =>
  ({ code: 'person', sentence: 'The operator paused it.', by: actor, at }) as const;

const notWritten = (entry: FileEntry, outcome: string) =>
  new ExplainedError(
    outcome === 'channel full'
      ? `${entry.channel} has ${mostInChannel} automations already, so ${label(entry)} doesn't fit. Nothing was changed. Use another channel, or delete an automation there.`
      : `Someone has just changed ${label(entry)}. Nothing was changed. Try again.`,
  );

function readArguments(args: readonly string[]) {
  try {
    const options = { 'dry-run': { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [command, file, ...more] = positionals;
    const isDryRun = values['dry-run'];
    if (command === 'export' && file === undefined && !isDryRun) return { command } as const;
    if (command === 'apply' && file !== undefined && more.length === 0)
      return { command, file, isDryRun } as const;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new ExplainedError(usage);
}

export async function run(args: readonly string[]): Promise<void> {
  const given = readArguments(args);
  const { databaseUrl, encryptionKeys } = readDatabaseConfig(settings, processEnvironment());
  const encryption = openEncryption(encryptionKeys, createLogger('silent'));
  await withPresentTables(databaseUrl, [botTables], { encryption }, async (db, present) => {
    if (present.length === 0)
      throw new ExplainedError(
        'The bot has never used this database, so it has no automations. Check DATABASE_URL and DATA_DIR.',
      );
    if (given.command === 'apply') return apply(db, given.file, given.isDryRun);
    process.stdout.write(writeAutomationsFile(await createAutomations(db).allOf()));
  });
}
