import { existsSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import {
  clientOf,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { fillService } from '../../support/database/service-rows.ts';
import { createWholeDatabase, openWholeDatabase } from '../../support/database/whole-database.ts';
import {
  general,
  opensModal,
  promptsSent,
  runMessageShowing,
  showMore,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

/**
 * Secrets by where people enter them. Free text has keys in a known format, because the app finds them only by that.
 */
const secrets = {
  prompt: `ghp_${'pR0mpt'.repeat(6)}`,
  title: `ghp_${'t1tLe0'.repeat(6)}`,
  header: 'hush-in-a-header',
  env: 'hush-in-a-variable',
  basePrompt: 'hush-in-a-base-prompt',
  defaults: 'hush-in-the-defaults',
  mention: `ghp_${'mEnt10'.repeat(6)}`,
  draft: `ghp_${'dRaft0'.repeat(6)}`,
  followUp: `ghp_${'f0lLow'.repeat(6)}`,
};

const servers = JSON.stringify({
  docs: { url: 'https://mcp.example.com', headers: { 'X-Key': secrets.header } },
  tool: { command: 'tool', env: { KEY: secrets.env } },
});

const openDatabaseOf = async (url: string) => {
  const db = await openWholeDatabase(url);
  onTestFinished(() => db.destroy());
  return db;
};

/** Returns everything that a database stores, as an attacker would read it. */
async function dump(url: string): Promise<string> {
  if (url.startsWith('sqlite:')) {
    const file = url.slice('sqlite:'.length);
    return [file, `${file}-wal`, `${file}-shm`]
      .map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : ''))
      .join('\n');
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of rows)
    texts.push(textOf((await client.query(`select t::text from "${name}" t`)).rows));
  await client.end();
  return texts.join('\n');
}

async function startedProduct() {
  const serviceUrl = await createWholeDatabase(temporaryFolder());
  const db = await openDatabaseOf(serviceUrl);
  const agent = `case "$AGENT_PROMPT" in wait*) exec sleep 600;; esac; echo "done: $AGENT_PROMPT"`;
  const environments = [shellEnvironment(agent, { default: true, mcp: 'any' })];
  const { service } = await startRunsService({ environments, db });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  const product = await startedBot({ runsApi });
  return { ...product, service, serviceUrl };
}

it('a dump has no secret from prompts, titles, keys, presets, defaults, drafts, mentions and follow-ups', async () => {
  const product = await startedProduct();
  const { ada, workspace, service, serviceUrl, config } = product;

  const defaults = { 'channel:base_prompt': secrets.defaults };
  await savesSettings(product, ada, 'channel:defaults', defaults);

  await opensModal(product, ada, `/agent title="Rotate ${secrets.title}" use ${secrets.prompt}`);
  await showMore(product);
  const fields = { mcp_servers: servers, base_prompt: secrets.basePrompt, save_as: 'Nightly' };
  expect(await ada.submits(fields)).toEqual({});
  await runMessageShowing(workspace, 'Succeeded');

  const mention = `<@${workspace.bot.userId}> count, with ${secrets.mention}`;
  await ada.types(general, mention);
  await runMessageShowing(workspace, 'count, with');
  await runMessageShowing(workspace, 'Succeeded');

  const { begin, until, request } = clientOf(service.apiUrl);
  const runId = await begin({ prompt: 'wait' });
  await until(runId, 'INPROGRESS');
  const followed = await request(`/agent/runs/${runId}/followups`, {
    method: 'POST',
    body: JSON.stringify({ message: secrets.followUp }),
    headers: { 'content-type': 'application/json' },
  });
  expect(followed.ok).toBe(true);

  await opensModal(product, ada, `/agent ${'A long prompt. '.repeat(300)} ${secrets.draft}`);

  const dumps = `${await dump(config.databaseUrl)}\n${await dump(serviceUrl)}`;
  expect(dumps).toContain('count, with');
  expect(Object.values(secrets).filter((secret) => dumps.includes(secret))).toEqual([]);
  expect(await promptsSent(product)).toContain(`use ${secrets.prompt}`);

  // Closing a form deletes its draft.
  const bots = await openDatabaseOf(config.databaseUrl);
  const drafts = () => bots.selectFrom('drafts').selectAll().execute();
  expect(await drafts()).toHaveLength(1);
  await ada.closesModal();
  await expect.poll(drafts).toEqual([]);
});

it('a dump has no secret from questions, answers, notes, publications and kept conversations', async () => {
  const url = await createWholeDatabase(temporaryFolder());
  const db = await openDatabaseOf(url);
  await fillService(db, secrets.env);
  const kept = await dump(url);
  expect(kept).toContain('asking');
  expect(kept).not.toContain(secrets.env);
});
