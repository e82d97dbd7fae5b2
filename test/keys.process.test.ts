import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from 'base/database/database';
import { createEncryption } from 'base/secrets/encryption';
import { createRuns } from 'runs-service/store/runs';
import type { DatabaseSchema } from 'runs-service/store/schema';
import { serviceTables } from 'runs-service/store/tables';
import { describe, expect, it } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import {
  clientOf,
  shellEnvironment,
  temporaryFolder,
  testKey,
} from '../packages/runs-service/test/support/runs-service.ts';
import { collect } from '../packages/runs-service/test/support/serve-runs.ts';
import { aServiceRun } from '../packages/runs-service/test/support/service/service-run-builder.ts';

const keys = { old: randomBytes(32), new: randomBytes(32) };
const bothKeys = `${keys.new.toString('base64')}\n${keys.old.toString('base64')}`;
const runCount = 150;

/** Adds ended runs, encrypted with the old key. */
async function fill(url: string): Promise<void> {
  const db = await openDatabase<DatabaseSchema>(url, [serviceTables], {
    encryption: createEncryption(keys.old),
  });
  const runs = createRuns(db);
  for (let number = 0; number < runCount; number += 1) {
    const { id } = await runs.create(aServiceRun({ prompt: `prompt ${number}` }));
    await runs.change(id, ['QUEUED'], { state: 'SUCCEEDED', status_json: '{}' });
  }
  await db.destroy();
}

/** Starts the runs service as a process, with both keys. */
async function startService(folder: string, environment: Record<string, string>) {
  const file = join(folder, 'environments.yml');
  const shell = shellEnvironment('sleep 0.2; echo done', { default: true });
  writeFileSync(file, JSON.stringify({ environments: [shell] }));
  const variables = {
    ...environment,
    RUNS_SERVICE_ALLOW_ROOT: 'true',
    RUNS_SERVICE_ENVIRONMENTS: file,
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_PORT: '0',
  };
  const child = startProgram(bundleSlashAgent(), variables, 'runs-service');
  const ended = untilExit(child);
  const log = collect(child);
  await expect.poll(log).toContain('"apiUrl"');
  return { child, ended, ...clientOf(/"apiUrl":"([^"]+)"/.exec(log())?.[1] ?? '') };
}

describe('slash-agent keys', () => {
  it('rotates while the runs service works on the same file, and then the old key is not needed', async () => {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, 'service.db')}`;
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: join(folder, 'data'),
      ENCRYPTION_KEY: bothKeys,
    };
    await fill(url);
    const service = await startService(folder, environment);
    const program = bundleSlashAgent();
    const rotate = () => untilExit(startProgram(program, environment, 'keys', 'rotate'));

    const rotation = rotate();
    const created = await Promise.all(
      Array.from({ length: 5 }, (_, number) => service.begin({ prompt: `meanwhile ${number}` })),
    );
    const { code, output } = await rotation;
    expect(code, output).toBe(0);
    const [, count] = /Encrypted (\d+) values again/.exec(output) ?? [];
    expect(Number(count), output).toBeGreaterThanOrEqual(3 * runCount);
    for (const id of created) await service.until(id, 'SUCCEEDED');
    expect((await rotate()).output).toContain('Encrypted 0 values again');
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);

    const db = await openDatabase<DatabaseSchema>(url, [serviceTables], {
      encryption: createEncryption(keys.new),
    });
    const rows = await db.selectFrom('service_runs').selectAll().execute();
    await db.destroy();
    const prompts = rows.map(({ prompt }) => prompt);
    expect(prompts).toHaveLength(runCount + created.length);
    expect(prompts).toEqual(expect.arrayContaining(['prompt 0', 'prompt 149', 'meanwhile 4']));
    const wrong = await untilExit(startProgram(program, environment, 'keys', 'turn'));
    expect(wrong).toMatchObject({
      code: 1,
      output: expect.stringContaining('Usage: slash-agent keys rotate'),
    });
  });
});
