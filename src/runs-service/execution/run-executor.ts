import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentConfigSchema } from 'runs-client/contract';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { unlessAborted } from '../../lib/time/keep-trying.ts';
import {
  defaultTimeLimitSeconds,
  findEnvironment,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { problemsOf } from './environment-problems.ts';
import type { ExecutedRun } from './executed-run.ts';
import { applyEarlierChanges, type EarlierChangesOptions } from './git/earlier-changes.ts';
import { type PatchTools, saveChanges } from './git/save-changes.ts';
import { createLiveProgress, type LiveProgress } from './live-progress.ts';
import { saveMemory } from './memory/continue-conversation.ts';
import type { Memory } from './memory/conversation-memory.ts';
import { createOutputRecorder } from './output/output-recorder.ts';
import { createRunClock } from './run-clock.ts';
import type { RunContext, StepTools } from './run-context.ts';
import {
  type AbortReason,
  abortedEnd,
  environmentGone,
  failed,
  isFullDisk,
  type RunEnd,
  serviceFailure,
  withAnswer,
  withUnreached,
} from './run-end.ts';
import { readSecrets, secretsOfServers } from './run-input.ts';
import { checkOutAll, runAgent } from './run-steps.ts';

export type ExecutorOptions = StepTools &
  PatchTools &
  EarlierChangesOptions & {
    environments: () => readonly ServiceEnvironment[];
    publish: PublishResult;
    saveArtifacts: SaveArtifacts;
    logger: Logger;
  };

/** Publishes the saved changes of a run that succeeded, if its environment says so. */
export type PublishResult = (
  finished: Pick<RunContext, 'run' | 'environment' | 'signal'> & {
    /** Saves what isn't saved yet of the answer. */
    progress: Pick<LiveProgress, 'close'>;
  },
) => Promise<void>;

/**
 * Saves what people can download of the run, once its changes are saved. Returns a line for the timeline if something
 * was left out.
 */
export type SaveArtifacts = (
  context: RunContext,
  answer: string | undefined,
) => Promise<string | undefined>;

/**
 * Executes one run, from an empty work folder to its end. Returns every failure as the run's end. The signal's reason is
 * an `AbortReason`. `restartReason` says why the run starts over.
 */
export function createRunExecutor(options: ExecutorOptions) {
  async function execute(context: RunContext): Promise<RunEnd> {
    const checkouts = await checkOutAll(options, context);
    const applied = await applyEarlierChanges(options, context, checkouts);
    if (applied !== undefined) await options.note(context.run.id, applied);
    const agentEnd = await runAgent(options, context, checkouts, applied === undefined);
    const end = withUnreached(agentEnd, context.wall.unreached?.() ?? []);
    context.progress.end(end.state === 'SUCCEEDED' && !context.signal.aborted);
    await saveChanges(options, context, checkouts);
    const answer = end.state === 'SUCCEEDED' ? context.progress.answer() : undefined;
    const leftOut = await options.saveArtifacts(context, answer);
    if (leftOut !== undefined) await options.note(context.run.id, leftOut);
    await saveMemory(options, context);
    const writeError = context.recorder.close();
    if (writeError === undefined) {
      if (end.state === 'SUCCEEDED' && !context.signal.aborted) await options.publish(context);
      return withAnswer(end, answer);
    }
    return serviceFailure("Couldn't save the run's output", writeError);
  }

  async function executeIn(
    environment: ServiceEnvironment,
    run: ExecutedRun,
    memory: Memory,
    signal: AbortSignal,
    restartReason: string | undefined,
  ): Promise<RunEnd> {
    const workDir = options.files.workDir(memory.workName);
    const limitSeconds = environment.time_limit_seconds ?? defaultTimeLimitSeconds;
    const place = { runId: run.id, folder: workDir };
    await options.walls.remove(environment, place);
    await mkdir(workDir, { recursive: true, mode: 0o700 });
    // The agent starts here, even without repositories.
    await mkdir(join(workDir, 'repo'));
    const recorder = createOutputRecorder(
      options.files.outputFile(run.id),
      options.outputLimitBytes,
    );
    if (restartReason !== undefined)
      recorder.write(Buffer.from(`\n[${restartReason}. Starting this run over.]\n`), options);
    let progress: LiveProgress | undefined;
    try {
      const config = agentConfigSchema.parse(JSON.parse(run.config_json));
      const secrets = await readSecrets(environment);
      const hidden = [...Object.values(secrets), ...secretsOfServers(config)];
      progress = createLiveProgress(run.id, hidden, options);
      progress.changed();
      const readOnly = environment.repositories.map(({ url }) => options.checkouts.objectsDir(url));
      const wall = options.walls.open(environment, { ...place, readOnly });
      const tools = options.walls.open(environment, { ...place, readOnly, isOffline: true });
      const input = { run, config, environment, secrets, hidden, workDir, wall, tools, memory };
      const clock = createRunClock(limitSeconds * 1000);
      const context = { ...input, recorder, progress, signal, clock };
      return await execute(context).finally(clock.stop);
    } finally {
      recorder.close();
      await progress?.close();
      await options.walls.remove(environment, place);
    }
  }

  return async function executeRun(
    run: ExecutedRun,
    signal: AbortSignal,
    restartReason?: string,
  ): Promise<RunEnd> {
    const environment = findEnvironment(options.environments(), run.environment_id);
    if (!environment) {
      const ids = options.environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    // An image may have to be downloaded, which others wait for too.
    const problems = await unlessAborted(problemsOf(environment, options), signal);
    if (!problems) return abortedEnd(signal.reason as AbortReason);
    const problem = problems.find(({ blocksRuns }) => blocksRuns);
    if (problem)
      return failed(`Runs in environment "${environment.id}" can't start: ${problem.message}.`, {
        error_code: 'environment_setup_failed',
      });
    let memory: Memory | undefined;
    try {
      memory = await options.openMemory(run, environment, signal);
      const end = await executeIn(environment, run, memory, signal, restartReason);
      return signal.aborted ? abortedEnd(signal.reason as AbortReason) : end;
    } catch (error) {
      if (signal.aborted) return abortedEnd(signal.reason as AbortReason);
      if (error instanceof ExplainedError && !isFullDisk(error.message))
        return failed(error.message, { error_code: 'environment_setup_failed' });
      options.logger.error({ err: error, runId: run.id }, 'a run failed inside the service');
      const why = error instanceof Error ? error.message : String(error);
      return serviceFailure("The runs service couldn't execute this run", why);
    } finally {
      memory?.release();
    }
  };
}

export type ExecuteRun = ReturnType<typeof createRunExecutor>;
