import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import type { ServiceEnvironment } from '../../src/environments/environments.ts';
import type { OpenModelAccess, OpenModels } from '../../src/execution/model-access.ts';
import { prepareMachine } from '../../src/execution/prepare-machine.ts';
import { agentProviders } from '../../src/gateway/agent-providers.ts';
import { createRunUsages } from '../../src/gateway/run-usage.ts';
import { createExecuteLocally } from '../../src/queue/execute-locally.ts';
import { createTrash } from '../../src/sandbox/deletion/trash.ts';
import { createSandboxes } from '../../src/sandbox/sandboxes.ts';
import { createStores } from '../../src/store/stores.ts';
import { createSqliteDatabase, openTestDatabase } from '../support/databases.ts';
import { temporaryFolder } from '../support/runs-service.ts';
import { aStoredRun } from '../support/service/service-run-builder.ts';

export const runToken = `sam_${'a1b2'.repeat(11)}`;

type OpenRequest = Parameters<OpenModelAccess>[0];

/** Models that a test opens. It records what the executor does with them. */
export function openedModels(more: Partial<OpenModels> = {}) {
  const requests: OpenRequest[] = [];
  const stopping = new AbortController();
  let stopReason: string | undefined;
  let closed = 0;
  const openModels: OpenModelAccess = async (request) => {
    requests.push(request);
    return {
      token: runToken,
      address: { port: 1 },
      providers: agentProviders(request.environment.providers ?? [], undefined),
      stopped: stopping.signal,
      stopReason: () => stopReason,
      close: async () => {
        closed += 1;
      },
      ...more,
    };
  };
  return {
    openModels,
    requests,
    closed: () => closed,
    /** Rejects the calls of the run from now on. */
    rejectCalls: (reason: string) => {
      stopReason = reason;
    },
    /** Aborts the run, as after a person stopped its spending. */
    stop: (reason: string) => {
      stopReason = reason;
      stopping.abort(reason);
    },
  };
}

/** Creates the executor of a service, with models that the test opens. */
export async function executorBed(
  environment: ServiceEnvironment,
  openModels: OpenModelAccess,
  { path = process.env['PATH'] ?? '', config = {} }: { path?: string; config?: object } = {},
) {
  const dataDir = temporaryFolder();
  const logger = createLogger('silent');
  const db = await openTestDatabase(await createSqliteDatabase(temporaryFolder()));
  const sandboxes = createSandboxes({ dataDir, path, userId: 1000, logger });
  const trash = createTrash({ dataDir, path, sandboxes, logger });
  const machine = prepareMachine({ dataDir, path, sandboxes, trash, logger });
  onTestFinished(async () => {
    await machine.folderPool.stop();
    await db.destroy();
  });
  const run = aStoredRun({
    // The end of a run kills all processes of the machine that have the run's ID.
    id: randomUUID(),
    environment_id: environment.id,
    config_json: JSON.stringify(config),
  });
  const { files } = machine;
  for (const folder of [files.worksDir, files.conversationsDir, files.transcriptDir(run.id)])
    await mkdir(folder, { recursive: true });
  const stores = createStores(db);
  const environments = () => [environment];
  const usages = createRunUsages({
    runs: stores.runs,
    calls: stores.modelCalls,
    reported: stores.reportedUsages,
    environments,
    logger,
  });
  const execute = createExecuteLocally({
    stores,
    owner: 'test',
    machine,
    environments,
    limits: { outputLimitBytes: 1e6, patchLimitBytes: 1e6, killGraceMs: 300 },
    publish: async () => undefined,
    saveArtifacts: async () => undefined,
    openModels,
    usages,
    logger,
  });
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    execute: (signal: AbortSignal = new AbortController().signal) => execute(run, signal),
    output: () => read(files.outputFile(run.id)),
    patch: () => read(`${files.transcriptDir(run.id)}/changes.patch`),
  };
}
