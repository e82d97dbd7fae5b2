import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { fillService } from '../../support/database/service-rows.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import {
  general,
  opensModal,
  promptsSent,
  runMessageShowing,
  showMore,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';
import {
  clientOf,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../support/runs-service.ts';

/** Each looks like a key where the product can only tell by the looks. */
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

/** A place for a database, and everything that it keeps there. */
const places = {
  async SQLite() {
    const file = join(temporaryFolder(), 'kept.db');
    const files = [file, `${file}-wal`, `${file}-shm`];
    const dump = async () =>
      files.map((each) => (existsSync(each) ? readFileSync(each, 'latin1') : '')).join('\n');
    return { url: `sqlite:${file}`, dump };
  },
  async PostgreSQL() {
    const url = await createPostgresDatabase();
    const dump = async () => {
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
    };
    return { url, dump };
  },
};

async function startedProduct(database: keyof typeof places) {
  const kept = { bot: await places[database](), service: await places[database]() };
  const db = await openTestDatabase(kept.service.url);
  onTestFinished(() => db.destroy());
  const agent = `case "$AGENT_PROMPT" in wait*) exec sleep 600;; esac; echo "done: $AGENT_PROMPT"`;
  const environments = [shellEnvironment(agent, { default: true, mcp: 'any' })];
  const { service } = await startRunsService({ environments, db });
  const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
  const product = await startedBot({ databaseUrl: kept.bot.url, runsApi });
  return { ...product, service, kept };
}

describe.each(Object.keys(places) as (keyof typeof places)[])('a dump of %s', (database) => {
  it('has no secret from prompts, titles, keys, presets, defaults, drafts, mentions and follow-ups', async () => {
    const product = await startedProduct(database);
    const { ada, workspace, service, kept } = product;

    const settings = await opensModal(product, ada, '/agent settings');
    await ada.clicks({ view: settings }, 'settings:scope:channel');
    await workspace.until(() => textOf(ada.modal()?.content).includes('"channel:base_prompt"'));
    expect(await ada.submits({ 'channel:base_prompt': secrets.defaults })).toEqual({});

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

    const dumps = `${await kept.bot.dump()}\n${await kept.service.dump()}`;
    expect(dumps).toContain('count, with');
    expect(Object.values(secrets).filter((secret) => dumps.includes(secret))).toEqual([]);
    expect(await promptsSent(product)).toContain(`use ${secrets.prompt}`);
  });

  it('has no secret from questions, answers, notes, publications and kept conversations', async () => {
    const { url, dump } = await places[database]();
    const db = await openTestDatabase(url);
    onTestFinished(() => db.destroy());
    await fillService(db, secrets.env);
    const kept = await dump();
    expect(kept).toContain('asking');
    expect(kept).not.toContain(secrets.env);
  });
});

it('keeps no draft of a form that was closed', async () => {
  const product = await startedBot();
  const db = await openTestDatabase(product.config.databaseUrl);
  onTestFinished(() => db.destroy());
  const drafts = () => db.selectFrom('drafts').selectAll().execute();
  await opensModal(product, product.ada, `/agent ${secrets.draft}`);
  expect(await drafts()).toHaveLength(1);
  await product.ada.closesModal();
  await expect.poll(drafts).toEqual([]);
});
