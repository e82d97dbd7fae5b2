import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agentConfigSchema } from 'runs-client/contract';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { findEnvironment, type ServiceEnvironment } from '../environments/environments.ts';
import { createUsageMeter } from '../harnesses/steps/read-steps.ts';
import { problemsOf } from './environment-problems.ts';
import { applyEarlierChanges, type EarlierChangesOptions } from './git/earlier-changes.ts';
import { type PatchTools, saveChanges } from './git/save-changes.ts';
import { createOutputRecorder } from './output/output-recorder.ts';
import { findIdentity } from './processes/identity.ts';
import type { RunContext, StepTools } from './run-context.ts';
import {
  type AbortReason,
  abortedEnd,
  environmentGone,
  failed,
  isFullDisk,
  type RunEnd,
  serviceFailure,
} from './run-end.ts';
import { readSecrets, secretsOfServers } from './run-input.ts';
import { checkOutAll, runAgent } from './run-steps.ts';

export type ExecutorOptions = StepTools &
  PatchTools &
  EarlierChangesOptions & {
    environments: () => readonly ServiceEnvironment[];
    /** Ends processes of the run that left its process group. */
    killLeftovers: (runId: string) => Promise<void>;
    logger: Logger;
  };

const defaultTimeLimitSeconds = 30 * 60;

/**
 * Executes one run, from an empty work folder to its end. Returns every failure as the run's end. The signal's reason is
 * an `AbortReason`. `restartReason` says why the run starts over.
 */
export function createRunExecutor(options: ExecutorOptions) {
  async function execute(context: RunContext): Promise<RunEnd> {
    const checkouts = await checkOutAll(options, context);
    const { run, signal } = context;
    const applied = await applyEarlierChanges(options, run, checkouts, signal);
    if (applied !== undefined) await options.note(run.id, applied);
    const end = await runAgent(options, context, checkouts, applied === undefined);
    await options.killLeftovers(run.id);
    await saveChanges(options, context, checkouts);
    const writeError = context.recorder.close();
    if (writeError === undefined) return end;
    return serviceFailure("Couldn't save the run's output", writeError);
  }

  async function executeIn(
    environment: ServiceEnvironment,
    run: ServiceRun,
    signal: AbortSignal,
    restartReason: string | undefined,
  ): Promise<RunEnd> {
    const workDir = options.files.workDir(run.id);
    const limitSeconds = environment.time_limit_seconds;
    const timeoutMs = (limitSeconds ?? defaultTimeLimitSeconds) * 1000;
    const observerDir = options.files.observerDir(run.id);
    const identity = identityOf(environment);
    const removeFolders = async () => {
      for (const folder of [workDir, observerDir])
        await rm(folder, { recursive: true, force: true });
    };
    await removeFolders();
    // Another user has to enter this folder to reach its own.
    await mkdir(workDir, { recursive: true, mode: identity ? 0o711 : 0o700 });
    // The agent starts here, even without repositories.
    await mkdir(join(workDir, 'repo'));
    await mkdir(observerDir, { recursive: true, mode: 0o700 });
    const recorder = createOutputRecorder(
      options.files.outputFile(run.id),
      options.outputLimitBytes,
    );
    if (restartReason !== undefined)
      recorder.write(Buffer.from(`\n[${restartReason}. Starting this run over.]\n`), options);
    try {
      const config = agentConfigSchema.parse(JSON.parse(run.config_json));
      const secrets = await readSecrets(environment);
      const usage = createUsageMeter();
      const hidden = [...Object.values(secrets), ...secretsOfServers(config)];
      const place = { run, config, environment, secrets, hidden, identity, workDir };
      const deadlineMs = Date.now() + timeoutMs;
      return await execute({ ...place, recorder, usage, signal, timeoutMs, deadlineMs });
    } finally {
      recorder.close();
      await options.killLeftovers(run.id);
      await removeFolders();
    }
  }

  return async function executeRun(
    run: ServiceRun,
    signal: AbortSignal,
    restartReason?: string,
  ): Promise<RunEnd> {
    const environment = findEnvironment(options.environments(), run.environment_id);
    if (!environment) {
      const ids = options.environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    const problem = problemsOf(environment, options.path).find(({ blocksRuns }) => blocksRuns);
    if (problem)
      return failed(`Runs in environment "${environment.id}" can't start: ${problem.message}.`, {
        error_code: 'environment_setup_failed',
      });
    try {
      const end = await executeIn(environment, run, signal, restartReason);
      return signal.aborted ? abortedEnd(signal.reason as AbortReason) : end;
    } catch (error) {
      if (signal.aborted) return abortedEnd(signal.reason as AbortReason);
      if (error instanceof ExplainedError && !isFullDisk(error.message))
        return failed(error.message, { error_code: 'environment_setup_failed' });
      options.logger.error({ err: error, runId: run.id }, 'a run failed inside the service');
      const why = error instanceof Error ? error.message : String(error);
      return serviceFailure("The runs service couldn't execute this run", why);
    }
  };
}

function identityOf({ user }: ServiceEnvironment) {
  const found = user === undefined ? undefined : findIdentity(user);
  if (found && 'problem' in found) throw new ExplainedError(found.problem);
  return found;
}

export type ExecuteRun = ReturnType<typeof createRunExecutor>;
