import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { testEncryptionKey } from '../../packages/base/test/support/test-key.ts';
import {
  createRepository,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { readAppScopes } from '../../src/config/app-scopes.ts';
import type { DoctorContext } from '../../src/doctor/run-diagnostics.ts';
import { createDatabaseOwner } from '../../src/store/database-owner.ts';
import { createDeliveries } from '../../src/store/inbox/deliveries.ts';
import { createSqliteDatabase, openTestDatabase } from '../support/database/databases.ts';

/**
 * Starts a Slack and a runs service in which nothing is wrong.
 * @returns a function that creates the context of a healthy bot, whose database exists
 */
export async function startSurroundings() {
  const manifest = readManifest(fileURLToPath(new URL('../../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
  const teamId = workspace.team.id;

  return async function healthyWorld() {
    const folder = temporaryFolder();
    const databaseUrl = await createSqliteDatabase(folder);
    const db = await openTestDatabase(databaseUrl);
    onTestFinished(() => db.destroy());
    await createDatabaseOwner(db).claim(teamId);
    await createDeliveries(db).noteArrival(teamId);
    const world: DoctorContext = {
      variables: {
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: workspace.apiUrl,
        RUNS_API_URL: service.apiUrl,
        RUNS_API_KEY: testKey,
        DATABASE_URL: databaseUrl,
        ENCRYPTION_KEY: testEncryptionKey,
      },
      envFile: join(folder, '.env'),
      nodeVersion: '24.1.0',
      scopes: readAppScopes(false),
      now: Date.now,
    };
    return { world, folder, db, teamId };
  };
}

export type Bed = Awaited<ReturnType<Awaited<ReturnType<typeof startSurroundings>>>>;

/** Returns the context with the embedded runs service and this environment. */
export function embedded({ world, folder }: Bed, environment: object): DoctorContext {
  const file = join(folder, 'environments.json');
  const usual = {
    id: 'shell',
    isolation: 'none',
    command: ['sh', '-c', 'true'],
    repositories: [{ url: createRepository({ 'notes.txt': 'one' }) }],
  };
  writeFileSync(file, JSON.stringify({ environments: [{ ...usual, ...environment }] }));
  const { RUNS_API_URL: _, RUNS_API_KEY: __, ...variables } = world.variables;
  return {
    ...world,
    variables: {
      ...variables,
      RUNS_SERVICE: 'embedded',
      RUNS_SERVICE_ALLOW_ROOT: 'true',
      RUNS_SERVICE_ENVIRONMENTS: file,
      DATA_DIR: join(folder, 'data'),
      PATH: process.env['PATH'],
    },
  };
}

/** Starts a server with this handler. Returns its address. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Creates an empty folder, for a PATH without programs. */
export function emptyPath({ folder }: Bed): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  return path;
}
