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
import type { Going, StepTools } from './run-command.ts';
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
    /** Ends what the run's processes left behind outside their group. */
    endLeftovers: (runId: string) => Promise<void>;
    runTimeoutMs: number;
    logger: Logger;
  };

/**
 * Executes one run for real, from an empty work folder to its end. Whatever goes wrong is the run's end, not an
 * exception. The signal's reason is an `AbortReason`; `beganAgain` says why the run is executed once more.
 */
export function createRunExecutor(options: ExecutorOptions) {
  async function execute(going: Going): Promise<RunEnd> {
    const checkouts = await checkOutAll(options, going);
    const { run, signal } = going;
    const wentOn = await applyEarlierChanges(options, run, checkouts, signal);
    if (wentOn !== undefined) await options.note(run.id, wentOn);
    const end = await runAgent(options, going, checkouts, wentOn === undefined);
    await options.endLeftovers(going.run.id);
    await saveChanges(options, going, checkouts);
    const unwritten = going.recorder.close();
    if (unwritten === undefined) return end;
    return serviceFailure('The output of the run could not be kept', unwritten);
  }

  async function executeIn(
    environment: ServiceEnvironment,
    run: ServiceRun,
    signal: AbortSignal,
    beganAgain: string | undefined,
  ): Promise<RunEnd> {
    const workDir = options.files.workDir(run.id);
    const limitSeconds = environment.time_limit_seconds;
    const timeoutMs = limitSeconds === undefined ? options.runTimeoutMs : limitSeconds * 1000;
    const observerDir = options.files.observerDir(run.id);
    const identity = identityOf(environment);
    for (const folder of [workDir, observerDir]) await rm(folder, { recursive: true, force: true });
    // Another user must get through to what is its own.
    await mkdir(workDir, { recursive: true, mode: identity ? 0o711 : 0o700 });
    // Where the agent begins, also when there is nothing to check out.
    await mkdir(join(workDir, 'repo'));
    await mkdir(observerDir, { recursive: true, mode: 0o700 });
    const recorder = createOutputRecorder(
      options.files.outputFile(run.id),
      options.outputLimitBytes,
    );
    if (beganAgain !== undefined)
      recorder.write(Buffer.from(`\n[${beganAgain}; the run begins anew]\n`), options);
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
      await options.endLeftovers(run.id);
      for (const folder of [workDir, observerDir])
        await rm(folder, { recursive: true, force: true });
    }
  }

  return async function executeRun(
    run: ServiceRun,
    signal: AbortSignal,
    beganAgain?: string,
  ): Promise<RunEnd> {
    const environment = findEnvironment(options.environments(), run.environment_id);
    if (!environment) {
      const ids = options.environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    const prevented = problemsOf(environment, options.path).find(({ prevents }) => prevents);
    if (prevented)
      return failed(
        `Runs in the environment "${environment.id}" cannot start: ${prevented.says}.`,
        {
          error_code: 'environment_setup_failed',
        },
      );
    try {
      const end = await executeIn(environment, run, signal, beganAgain);
      return signal.aborted ? abortedEnd(signal.reason as AbortReason) : end;
    } catch (error) {
      if (signal.aborted) return abortedEnd(signal.reason as AbortReason);
      if (error instanceof ExplainedError && !isFullDisk(error.message))
        return failed(error.message, { error_code: 'environment_setup_failed' });
      options.logger.error({ err: error, runId: run.id }, 'a run failed inside the service');
      const why = error instanceof Error ? error.message : String(error);
      return serviceFailure('The runs service could not execute this run', why);
    }
  };
}
function identityOf({ user }: ServiceEnvironment) {
  const found = user === undefined ? undefined : findIdentity(user);
  if (found && 'problem' in found) throw new ExplainedError(found.problem);
  return found;
}

export type ExecuteRun = ReturnType<typeof createRunExecutor>;
