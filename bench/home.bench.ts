import { openTestDatabase } from '../test/support/database/databases.ts';
/**
 * Measures how soon the Home tab appears: `npm run bench -- home [requests]` (default 100,000). Uses the local workspace,
 * the bot with this many requests in SQLite, half of them in a private channel with 1,000 members, and a runs API that
 * takes three seconds per answer. The number of publishes and API calls doesn't depend on the machine; the times do.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { sql } from 'kysely';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { testKeys } from '../packages/base/test/support/test-key.ts';
import { createBot } from '../src/bot/bot.ts';
import { fillRequests } from '../test/support/database/many-requests.ts';

const count = Number(process.argv[2] ?? 100_000);
const slowMs = 3_000;
const rounds = 5;
const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
const databaseUrl = `sqlite:${join(folder, 'bench.db')}`;

let asked = 0;
const slowApi = createServer((request, response) => {
  if (request.url?.includes('/agent/runs')) asked += 1;
  const page = { runs: [], environments: [], page_info: { has_next_page: false } };
  const timer = setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  }, slowMs);
  response.once('close', () => clearTimeout(timer));
});
await new Promise<void>((resolve) => slowApi.listen(0, '127.0.0.1', resolve));

const logger = createLogger('silent');
const manifest = readManifest('manifest.yml');
const workspace = createLocalWorkspace({ manifest, logger });
await workspace.start();
const db = await openTestDatabase(databaseUrl);
print(`Filling the store with ${count} requests …`);
await fillRequests(db, count, workspace.team.id);
await sql`update requests set channel_id = 'C2' where cast(substr(id, 9) as integer) % 2 = 0`.execute(
  db,
);
const userIds = [workspace.as('ada').person.id, ...Array.from({ length: 999 }, (_, n) => `U${n}`)];
const members = userIds.map((user_id) => ({
  team_id: workspace.team.id,
  conversation_id: 'C2',
  user_id,
}));
await db.insertInto('conversation_members').values(members).execute();
await db.destroy();
const { port } = slowApi.address() as AddressInfo;
const { botToken, appToken, apiUrl } = workspace;
const bot = createBot(
  {
    slack: { botToken, apiUrl, delivery: { mode: 'socket', appToken } },
    health: undefined,
    runsApi: { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'key-of-the-bench' },
    databaseUrl,
    encryptionKeys: testKeys,
    logLevel: 'silent',
  },
  logger,
);
await bot.start();

const published = () =>
  workspace.traffic.recent().filter(({ name }) => name === 'views.publish').length;
const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const person = workspace.as('ada');

/** Milliseconds from the action to the first view that shows it. */
async function untilShown(act: () => Promise<unknown>): Promise<number> {
  const before = JSON.stringify(person.home()?.content);
  const begin = performance.now();
  void act();
  await workspace.until(() => JSON.stringify(person.home()?.content) !== before, {
    timeoutMs: 20_000,
  });
  return performance.now() - begin;
}

const pick = (id: string, value?: string) => async () => {
  const view = person.home();
  if (!view) throw new Error("The Home tab didn't appear");
  await person.clicks({ view }, id, value);
};

print(`First opening, my runs: ${(await untilShown(() => person.opensHome())).toFixed(0)} ms`);
const steps: [name: string, act: () => Promise<unknown>][] = [
  ['everyone, while the API is slow', pick('home:creator', 'everyone')],
  ['everyone, active', pick('home:state', 'live')],
  ['everyone, failed', pick('home:state', 'failed')],
  ['everyone again, any state', pick('home:state', 'any')],
  ['mine', pick('home:creator', 'me')],
];
const times = new Map<string, number[]>();
const publishedBefore = published();
const askedBefore = asked;
for (let round = 0; round < rounds; round += 1) {
  for (const [name, act] of steps) {
    times.set(name, [...(times.get(name) ?? []), await untilShown(act)]);
  }
}
for (const [name, all] of times) {
  print(
    `${name.padEnd(34)} median ${middle(all).toFixed(0)} ms, worst ${Math.max(...all).toFixed(0)} ms`,
  );
}
print(
  `${rounds * steps.length} clicks: ${published() - publishedBefore} publishes, ${asked - askedBefore} calls for lists`,
);

await bot.stop();
await workspace.stop();
slowApi.closeAllConnections();
slowApi.close();
rmSync(folder, { recursive: true, force: true });
