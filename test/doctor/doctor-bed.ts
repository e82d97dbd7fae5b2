import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import type { World } from '../../src/doctor/examine.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createEncryption } from '../../src/lib/secrets/encryption.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { createDatabaseOwner } from '../../src/store/database/database-owner.ts';
import {
  createRepository,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../support/runs-service.ts';

/** A bot's world in which nothing is wrong: Slack, a runs service, a database after its first start. */
export async function startHealthyWorld() {
  const manifest = readManifest(fileURLToPath(new URL('../../manifest.yml', import.meta.url)));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
  const folder = temporaryFolder();
  const key = randomBytes(32);
  const databaseUrl = `sqlite:${join(folder, 'bot.db')}`;
  const db = await openDatabase(databaseUrl, { encryption: createEncryption(key) });
  onTestFinished(() => db.destroy());
  const headers = { authorization: `Bearer ${workspace.botToken}` };
  const me = await fetch(`${workspace.apiUrl}auth.test`, { method: 'POST', headers });
  const { team_id } = (await me.json()) as { team_id: string };
  await createDatabaseOwner(db).claim(team_id);
  await db.insertInto('deliveries').values({ key: 'one', seen_at: Date.now() }).execute();
  const world: World = {
    variables: {
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      RUNS_API_URL: service.apiUrl,
      RUNS_API_KEY: testKey,
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEY: key.toString('base64'),
    },
    envFile: join(folder, '.env'),
    nodeVersion: '24.1.0',
    scopes: manifest.oauth_config.scopes.bot,
    now: Date.now,
  };
  return { world, folder, db, workspace, teamId: team_id };
}

export type Bed = Awaited<ReturnType<typeof startHealthyWorld>>;

/** The same with the embedded runs service, of which the environments file has this environment. */
export function embedded({ world, folder }: Bed, environment: object): World {
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
      RUNS_SERVICE_ENVIRONMENTS: file,
      DATA_DIR: join(folder, 'data'),
      PATH: process.env['PATH'],
    },
  };
}

/** The address of a server with these answers. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A folder with an empty `bin`, as a PATH without programs. */
export function emptyPath({ folder }: Bed): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  return path;
}
