import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import { testEncryptionKey } from '../packages/base/test/support/test-key.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';
import type { Automation, Trigger } from '../src/automations/automation.ts';
import { createAudit } from '../src/store/audit/audit.ts';
import { createAutomations } from '../src/store/automations/automations.ts';
import { createDatabaseOwner } from '../src/store/database-owner.ts';
import type { Db } from '../src/store/schema.ts';
import { aDefinition, anAutomation } from './support/automations.ts';
import { openTestDatabase } from './support/database/databases.ts';

const hook: Trigger = { kind: 'webhook', sender: 'github', filter: [] };

/** Creates a database with a schedule and a webhook, and a function that runs the command on it. */
async function prepare() {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'bot.db')}`;
  const file = join(folder, 'automations.yml');
  const withDb = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
    const db = await openTestDatabase(url);
    return work(db).finally(() => db.destroy());
  };
  await withDb(async (db) => {
    await createDatabaseOwner(db).claim('T01');
    const automations = createAutomations(db);
    const place = { teamId: 'T01', channelId: 'C0SHOP', ownerId: 'U0ADA' };
    await automations.create(anAutomation({ ...place, nextAt: 5_000_000_000_000 }), 'U0ADA');
    const definition = aDefinition({ trigger: hook, prompt: 'Look' });
    const deploys = { ...place, id: 'a2', name: 'Deploys', definition };
    await automations.create(anAutomation(deploys), 'U0ADA', 'whsec_first');
  });
  const run = (...words: string[]) =>
    untilExit(
      startProgram(
        bundleSlashAgent(),
        { DATABASE_URL: url, ENCRYPTION_KEY: testEncryptionKey },
        'automations',
        ...words,
      ),
    );
  const stored = () => withDb((db) => createAutomations(db).allOf());
  return { file, run, stored, withDb };
}

const named = (all: readonly Automation[], name: string) => all.find((each) => each.name === name);

it('slash-agent automations exports what it can apply again, and applies changes once', async () => {
  const { file, run, stored, withDb } = await prepare();
  const exported = await run('export');
  writeFileSync(file, exported.output);
  const before = await stored();
  expect((await run('apply', file)).output).toBe(
    '0 to create, 0 to change, 2 unchanged\nApplied.\n',
  );
  expect(await stored()).toEqual(before);

  const added = `  - { workspace: T01, channel: C0SHOP, name: Alerts, owner: U0ADA, prompt: Look, trigger: { kind: webhook, sender: github } }\n`;
  writeFileSync(file, `${exported.output.replace('prompt: Look', 'prompt: Look at it')}${added}`);
  const shown = await run('apply', file, '--dry-run');
  expect(shown.output).toContain('prompt: "Look" → "Look at it"');
  expect(shown.output).toContain('1 to create, 1 to change, 1 unchanged');
  expect(shown.output).not.toContain('whsec_');
  expect(await stored()).toEqual(before);

  const applied = await run('apply', file);
  const after = await stored();
  const alerts = named(after, 'Alerts');
  const [, secret] = /secret: (whsec_\S+)/.exec(applied.output) ?? [];
  expect(applied.output).toContain(`/hooks/${alerts?.id}\n`);
  expect(named(after, 'Deploys')?.definition.prompt).toBe('Look at it');
  expect(named(after, 'Nightly check')).toEqual(named(before, 'Nightly check'));
  const secrets = await withDb(async (db) => {
    const { findHook } = createAutomations(db);
    return [await findHook('a2'), await findHook(alerts?.id ?? '')].map((found) => found?.secrets);
  });
  expect(secrets).toEqual([['whsec_first'], [secret]]);
  const entries = await withDb((db) =>
    createAudit(db).list({ teamId: 'T01', actorId: 'system' }, 9),
  );
  expect(entries.map(({ action }) => action)).toEqual(['automation_changed', 'automation_created']);
  expect((await run('apply', file)).output).toContain('0 to create, 0 to change, 3 unchanged');

  writeFileSync(
    file,
    `automations:\n${added.replace('Alerts', 'Errors').replace('github', 'sentry')}`,
  );
  const output = (await run('apply', file)).output;
  expect(output).toContain('  get the secret from Sentry, and paste it under Edit in Slack\n');
  expect(output).not.toContain('whsec_');
});

it('prints a new secret of a webhook that gets another owner, and ends the earlier one', async () => {
  const { file, run, withDb } = await prepare();
  const { output } = await run('export');
  writeFileSync(file, output.replaceAll('owner: U0ADA', 'owner: U0GRACE'));
  const applied = await run('apply', file);
  const [, secret] = /secret: (whsec_\S+)/.exec(applied.output) ?? [];
  const hook = await withDb((db) => createAutomations(db).findHook('a2'));
  expect(hook).toMatchObject({ automation: { ownerId: 'U0GRACE' }, secrets: [secret] });
});

it('pauses and resumes what a file says, and leaves other pauses', async () => {
  const { file, run, stored } = await prepare();
  const { output } = await run('export');
  const paused = `${output}    paused: true\n`;
  writeFileSync(file, paused);
  await run('apply', file);
  // The file ends with the last automation by name.
  expect(named(await stored(), 'Nightly check')).toMatchObject({
    nextAt: null,
    pause: { code: 'person', by: 'system' },
  });
  expect((await run('export')).output).toBe(paused);
  writeFileSync(file, output);
  expect((await run('apply', file)).output).toContain('2 unchanged');
  writeFileSync(file, `${output}    paused: false\n`);
  await run('apply', file);
  const resumed = named(await stored(), 'Nightly check');
  expect(resumed?.pause).toBeNull();
  expect(resumed?.nextAt).toBeGreaterThan(Date.now());
});

it('applies nothing of a file with a mistake', async () => {
  const { file, run, stored } = await prepare();
  const before = await stored();
  const { output } = await run('export');
  const changed = output.replace('prompt: Look', 'prompt: Look at it');
  const mistakes: [string, RegExp][] = [
    [changed.replace('workspace: T01', 'workspace: T0OTHER'), /The app isn't in workspace T0OTHER/],
    [`${changed}    on: true\n`, /line \d+.*"on"/],
    ['', /automations/],
  ];
  for (const [text, mistake] of mistakes) {
    writeFileSync(file, text);
    const { code, output: printed } = await run('apply', file);
    expect(printed).toMatch(mistake);
    expect(code).toBe(1);
  }
  for (const words of [['apply'], ['export', file], ['apply', file, '--force'], ['delete']])
    expect(await run(...words)).toMatchObject({ code: 1 });
  expect(await stored()).toEqual(before);
  expect(readFileSync(file, 'utf8')).toBe('');
});
