import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import type { RunsServiceConfig } from '../config/runs-service-config.ts';
import { runnerOf, type ServiceEnvironment } from '../environments/environments.ts';
import { readEnvironments } from '../environments/read-environments.ts';
import { problemsOf } from '../execution/environment-problems.ts';
import { defaultPath } from '../execution/files/run-files.ts';
import { whyUnreachable } from '../execution/git/reach-repository.ts';
import { modelKeysIn } from '../harnesses/model-input.ts';
import { createRunners } from '../remote/create-runners.ts';
import { findProgram } from '../sandbox/check-sandbox.ts';
import { quarantineFolder } from '../sandbox/deletion/trash.ts';
import { createSandboxes, rootProblem } from '../sandbox/sandboxes.ts';

export type Finding = {
  problem:
    | 'environments-file-wrong'
    | 'git-missing'
    | 'service-is-root'
    | 'cluster-rejects-runs'
    | 'environment-broken'
    | 'secret-file-unreadable'
    | 'agent-has-model-key'
    | 'repository-unreachable'
    | 'undeleted-folders';
  /** Text for the operator, without secrets. */
  detail: string;
};

type Machine = {
  sandboxes: ReturnType<typeof createSandboxes>;
  path: string;
  folder: string;
  runnerProblem: ReturnType<typeof createRunners>['runnerProblem'];
};

const clusterMs = 15_000;

/** Reports run folders that the runs service couldn't delete. */
export function checkQuarantine(dataDir: string): Finding[] {
  const folder = quarantineFolder(dataDir);
  const count = existsSync(folder) ? readdirSync(folder).length : 0;
  if (count === 0) return [];
  return [{ problem: 'undeleted-folders', detail: `${folder} has ${count}.` }];
}

/** Checks the programs, keys and sandboxes that environments need. Starts each sandbox once. */
export async function checkEnvironments(
  { environmentsFile, path = defaultPath, kubeconfig, allowRoot }: RunsServiceConfig,
  userId?: number,
): Promise<Finding[]> {
  let environments: ServiceEnvironment[];
  try {
    environments = readEnvironments(environmentsFile);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    return [{ problem: 'environments-file-wrong', detail: error.message }];
  }
  if (!findProgram('git', path))
    return [{ problem: 'git-missing', detail: `It isn't in ${path}.` }];
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-doctor-'));
  try {
    const logger = createLogger('silent');
    // Report only once that the service runs as root, instead of for each environment.
    const isRejected = environments.some(
      (each) =>
        runnerOf(each) === 'local' && rootProblem(each, { allowRoot, userId }) !== undefined,
    );
    const asRoot: Finding[] = isRejected
      ? [{ problem: 'service-is-root', detail: 'This user is root.' }]
      : [];
    const sandboxes = createSandboxes({ dataDir: folder, path, allowRoot: true, logger });
    const { runnerProblem } = createRunners({ path, kubeconfig, logger });
    const machine = { sandboxes, path, folder, runnerProblem };
    const checks = environments.map((each) => checkEnvironment(each, machine));
    return [...asRoot, ...(await Promise.all(checks)).flat()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkEnvironment(
  environment: ServiceEnvironment,
  { sandboxes, path, folder, runnerProblem }: Machine,
): Promise<Finding[]> {
  const {
    id,
    secret_files: secrets = {},
    variables = {},
    repositories,
    providers = [],
  } = environment;
  const problems = await problemsOf(environment, {
    sandboxes,
    path,
    runnerProblem: (each) => runnerProblem(each, AbortSignal.timeout(clusterMs)),
  });
  const problem =
    environment.runner === 'kubernetes' ? 'cluster-rejects-runs' : 'environment-broken';
  const broken = problems.map(({ message }): Finding => ({ problem, detail: `${id}: ${message}` }));
  const keyFiles = providers.flatMap(({ name, key_file: file }): [string, string][] =>
    file === undefined ? [] : [[`the key of "${name}"`, file]],
  );
  const hidden = [...Object.entries(secrets), ...keyFiles].flatMap(([name, file]): Finding[] =>
    isReadable(file)
      ? []
      : [{ problem: 'secret-file-unreadable', detail: `${id}: ${name} is in ${file}.` }],
  );
  const keys = modelKeysIn({ ...variables, ...secrets });
  const shown: Finding[] =
    keys.length === 0
      ? []
      : [{ problem: 'agent-has-model-key', detail: `${id}: agents get ${keys.join(', ')}.` }];
  const reached = repositories.map(async ({ url }): Promise<Finding[]> => {
    const why = await whyUnreachable(url, { path, cwd: folder });
    return why === undefined
      ? []
      : [{ problem: 'repository-unreachable', detail: `${id}: ${why}` }];
  });
  return [...broken, ...hidden, ...shown, ...(await Promise.all(reached)).flat()];
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
