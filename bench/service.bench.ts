import { openTestDatabase } from '../packages/runs-service/test/support/databases.ts';
/**
 * Measures the runs service with a full store: `npm run bench -- service [runs]` (default 1,000,000). Fills a SQLite file
 * with runs, then lists, gets and creates runs, and compares `get` with bare Hono that answers a constant. Read the
 * ratios; the milliseconds depend on the machine.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { Hono } from 'hono';
import { sql } from 'kysely';
import { listen } from 'runs-service/api/listen';
import { fixedEnvironments } from 'runs-service/environments/environments';
import { createRunsService } from 'runs-service/service';
import type { Db } from 'runs-service/store/schema';
import { Pool } from 'undici';
import { fillEncrypted } from '../packages/base/test/support/test-key.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
const fillMs = Date.now();
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Fills the store with one run per minute, back in time: a hundred creators, four states, ten names, five models. */
async function fill(db: Db): Promise<void> {
  const now = fillMs;
  await sql`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into service_runs (id, session_token, title, prompt, search_text, state, config_json, config_name, model_id,
      environment_id, creator_json, creator_uid, key_uid, source, conversation_id, request_hash, created_at, updated_at,
      started_at, ended_at, cancel_requested, followups_closed, number,
      metadata_json)
    select 'run-' || i, 'token-' || i, 'Run number ' || i, 'Fix the flaky test', 'run number ' || i || ' fix the flaky test',
      case i % 100 when 0 then 'FAILED' when 1 then 'CANCELLED' else 'SUCCEEDED' end,
      '{"environment_id":"demo"}', 'name-' || (i % 10), 'model-' || (i % 5), 'demo', '{"uid":"u"}', 'user-' || (i % 100), 'user u',
      case i % 3 when 0 then 'API' else 'SLACK' end, 'c-' || i, '', ${now} - i * 60000,
      ${now} - i * 60000 + (i % 977) * 1000, 1, 2, 0, 1, ${count} + 1 - i,
      '{"team":"T' || (i % 50) || '"}'
    from n`.execute(db);
  const table = 'service_runs';
  await fillEncrypted(db, { table, column: 'prompt', text: 'Fix the flaky test' });
  await fillEncrypted(db, { table, column: 'config_json', text: '{"environment_id":"demo"}' });
  await sql`insert into service_run_changes (run_id, changed_at, until_at, state)
    select id, updated_at, null, state from service_runs`.execute(db);
  await sql`insert into service_run_metadata (run_id, key, value)
    select id, 'team', 'T' || (substr(id, 5) % 50) from service_runs`.execute(db);
  await sql`insert into service_run_texts (rowid, search_text)
    select number, search_text from service_runs order by number`.execute(db);
}

const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

async function measure(name: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const begin = performance.now();
    await work();
    took.push(performance.now() - begin);
  }
  print(
    `${name.padEnd(62)} p50 ${at(took, 0.5).toFixed(2)} ms   p99 ${at(took, 0.99).toFixed(2)} ms   most ${at(took, 1).toFixed(2)} ms`,
  );
}

async function throughput(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - begin < 1_500) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return done / ((performance.now() - begin) / 1000);
}

const db = await openTestDatabase(`sqlite:${join(folder, 'bench.db')}`);
print(`Filling the store with ${count} runs …`);
await fill(db);
const service = createRunsService({
  allowRoot: true,
  db,
  dataDir: folder,
  environments: fixedEnvironments([
    { id: 'demo', isolation: 'none', repositories: [{ url: '/nowhere' }], command: ['true'] },
  ]),
  keys: [
    {
      key: 'bench-key',
      role: 'all',
      creator: { type: 'user', uid: 'bench', display_name: 'Bench' },
    },
  ],
  host: '127.0.0.1',
  port: 0,
  logger: createLogger('silent'),
  requestsPerMinute: 1e9,
  // Don't execute created runs, because that would use CPU time of the measurement.
  concurrency: 0,
});
await service.start();
const bare = await listen(
  new Hono().get('/', (context) => context.json({ run_id: 'x' })),
  '127.0.0.1',
  0,
);

const pool = new Pool(service.url, { connections: 16 });
const barePool = new Pool(`http://127.0.0.1:${bare.port}`, { connections: 16 });
const headers = { authorization: 'Bearer bench-key', 'content-type': 'application/json' };
const ask = async (path: string): Promise<unknown> => {
  const answer = await pool.request({ method: 'GET', path: `/api/v1${path}`, headers });
  const body = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(JSON.stringify(body));
  return body;
};

let number = 0;
const anyRun = () => {
  number += 7_919;
  return `/agent/runs/run-${1 + (number % count)}`;
};
const lists = [
  '',
  'state=FAILED',
  'state=FAILED&state=CANCELLED',
  'state=QUEUED',
  'creator=user-42',
  'creator=user-42&state=FAILED',
  'name=name-3',
  'name=name-3&model_id=model-3&creator=user-43',
  'source=API',
  'skill_spec=none',
  'metadata[team]=T7',
  'metadata[team]=none',
  'q=number%20777',
  'q=nowhere%20to%20be%20found',
  'q=x',
  'q=number%20777&creator=user-42',
  'name=name-3&state=FAILED',
  'name=name-3&source=API',
  'sort_by=title',
  'sort_by=title&creator=user-42',
  'sort_by=created_at&sort_order=asc',
  'sort_by=created_at&creator=user-42',
  'sort_by=created_at&state=FAILED',
  'sort_by=created_at&name=name-3&model_id=model-3',
  'sort_by=created_at&updated_after=2026-01-01T00:00:00Z',
  'created_before=2026-01-01T00:00:00Z',
  'creator=user-42&created_before=2025-06-01T00:00:00Z',
];
await measure('get', 500, () => ask(anyRun()));
for (const query of lists) await measure(`list ${query}`, 15, () => ask(`/agent/runs?${query}`));

/** Makes a cursor in the middle of all pages. Reading all pages before it would take too long. */
const farBehind = (sortBy: string) => {
  const key = sortBy === 'title' ? 'Run number 5' : fillMs - (count / 2) * 60_000;
  const place = [sortBy, 'desc', key, `run-${count / 2}`, fillMs + 1e9];
  return `cursor=${Buffer.from(JSON.stringify(place)).toString('base64url')}`;
};
for (const sortBy of ['updated_at', 'created_at', 'title'])
  for (const query of ['', 'creator=user-42', 'name=name-3&source=API', 'q=number%20777'])
    await measure(`far behind by ${sortBy}: ${query}`, 15, () =>
      ask(`/agent/runs?sort_by=${sortBy}&${query}&${farBehind(sortBy)}`),
    );
const body = JSON.stringify({ prompt: 'Mend it' });
await measure('create', 600, async () => {
  const answer = await pool.request({ method: 'POST', path: '/api/v1/agent/run', headers, body });
  await answer.body.dump();
});

const ratios: number[] = [];
for (let round = 0; round < 3; round += 1) {
  const ours = await throughput(() => ask(anyRun()));
  const theirs = await throughput(async () => {
    const answer = await barePool.request({ method: 'GET', path: '/' });
    await answer.body.json();
  });
  ratios.push(ours / theirs);
  print(`get ${ours.toFixed(0)}/s, bare Hono ${theirs.toFixed(0)}/s`);
}
print(`get has ${(at(ratios, 0.5) * 100).toFixed(0)}% of the throughput of bare Hono`);

await Promise.all([pool.close(), barePool.close()]);
await bare.close();
await service.stop();
await db.destroy();
rmSync(folder, { recursive: true, force: true });
