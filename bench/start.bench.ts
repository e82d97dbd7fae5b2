/**
 * Measures how fast an agent starts: `npm run bench -- start [rounds]`. The runs service (over HTTP, SQLite on disk, agents
 * behind bubblewrap) and `git clone` take turns with one repository of 50 MB. See README.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { fixedEnvironments } from 'runs-service/environments/environments';
import { createSandboxes } from 'runs-service/sandbox/sandboxes';
import { createRunsService } from 'runs-service/service';
import { createRuns } from 'runs-service/store/runs';
import { openTestDatabase } from '../packages/runs-service/test/support/databases.ts';
import { firstOutputOf, writeRepository } from './start-parts.ts';

const rounds = Number(process.argv[2] ?? 30);
const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
const print = (line: string) => process.stdout.write(`${line}\n`);
const path = process.env['PATH'] ?? '';
const logger = createLogger('error');
const now = 'date +%s%3N';
/** Script of the agent: prints its start time, and later the line that the session page is timed by. */
const agent = ['sh', '-c', `${now}; sleep 1.2; echo said $(${now}); sleep 0.3`];
const sandboxes = createSandboxes({ dataDir: folder, path, allowRoot: true, logger });
const problem = await sandboxes.problemOf({ id: 'plain', repositories: [], command: agent });
if (problem !== undefined) {
  print(`This machine can't measure starts: ${problem}.`);
  rmSync(folder, { recursive: true, force: true });
  process.exit(2);
}
const repository = writeRepository(join(folder, 'repository'));
const shared = { repositories: [{ url: repository }], command: agent };
const db = await openTestDatabase(`sqlite:${join(folder, 'bench.db')}`);
const creator = { type: 'user', uid: 'bench', display_name: 'Bench' } as const;
const service = createRunsService({
  allowRoot: true,
  db,
  dataDir: join(folder, 'data'),
  host: '127.0.0.1',
  port: 0,
  environments: fixedEnvironments([
    { ...shared, id: 'plain' },
    { ...shared, id: 'setup', setup: [['sh', '-c', 'seq 100000 > installed']] },
  ]),
  keys: [{ key: 'bench-key', role: 'all', creator }],
  logger,
  requestsPerMinute: 1e9,
  path,
});
await service.start();

const measured = new Map<string, number[]>();
const add = (name: string, ms: number) => measured.set(name, [...(measured.get(name) ?? []), ms]);

/** Phases of the start, from the run's timeline. */
async function addPhases(name: string, runId: string, startedAt: number): Promise<void> {
  const changes = await createRuns(db).changesOf(runId);
  let last = changes[0]?.changed_at ?? 0;
  for (const { state, note, changed_at: at } of changes.slice(1)) {
    if (at > startedAt) break;
    add(`  ${name}: until ${(note ?? state).split(' ')[0]}`, at - last);
    last = at;
  }
  add(`  ${name}: until the agent`, startedAt - last);
}

async function runOurs(name: string): Promise<void> {
  const headers = { authorization: 'Bearer bench-key', 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'Mend it', config: { environment_id: name } });
  const begin = Date.now();
  const created = await fetch(`${service.apiUrl}/agent/run`, { method: 'POST', headers, body });
  const { run_id: runId } = (await created.json()) as { run_id: string };
  const found = await fetch(`${service.apiUrl}/agent/runs/${runId}`, { headers });
  const { session_link: link } = (await found.json()) as { session_link: string };
  const seen = await firstOutputOf(link);
  add(`${name}: create → agent started`, seen.startedAt - begin);
  add(`${name}: output → session page`, seen.visibleAt - seen.saidAt);
  await addPhases(name, runId, seen.startedAt);
}

function runPeer(name: string, ...clone: string[]): void {
  const to = join(folder, 'clone');
  const begin = Date.now();
  execFileSync('git', ['clone', '--quiet', ...clone, to]);
  const startedAt = Number(execFileSync('sh', ['-c', now], { cwd: to }).toString());
  add(name, startedAt - begin);
  rmSync(to, { recursive: true });
}

for (const name of ['plain', 'setup']) await runOurs(name);
const first = new Map(measured);
measured.clear();
for (let round = 0; round < rounds; round += 1) {
  runPeer('git clone --local', '--local', repository);
  runPeer('git clone of everything', `file://${repository}`);
  for (const name of ['plain', 'setup']) await runOurs(name);
}

const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length - 1) * share)] ?? 0;
const peer = at(measured.get('git clone --local') ?? [], 0.5);
print(
  `${rounds} rounds, ms:                        first |   p50 |   p99 | times git clone --local`,
);
for (const [name, values] of measured) {
  const [p50, p99] = [at(values, 0.5), at(values, 0.99)];
  const cells = [first.get(name)?.[0] ?? '', p50, p99].map((cell) => String(cell).padStart(5));
  print(`${name.padEnd(36)} | ${cells.join(' | ')} | ${(p50 / peer).toFixed(2)}`);
}
await service.stop();
await db.destroy();
rmSync(folder, { recursive: true, force: true });
