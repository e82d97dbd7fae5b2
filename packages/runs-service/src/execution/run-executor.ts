import { basename } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import type { Logger } from 'base/logger';
import { unlessAborted } from 'base/time/keep-trying';
import { agentConfigSchema } from 'runs-client/contract';
import {
  defaultTimeLimitSeconds,
  findEnvironment,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { modelListenerOf } from '../sandbox/sandboxes.ts';
import type { ExecutedRun } from '../store/runs.ts';
import { problemsOf } from './environment-problems.ts';
import { createRunFolder, type NewRunFolder } from './files/run-folder.ts';
import { applyEarlierChanges } from './git/earlier-changes.ts';
import { saveChanges } from './git/save-changes.ts';
import { createLiveProgress, type LiveProgress } from './live-progress.ts';
import { saveMemory } from './memory/continue-conversation.ts';
import type { Memory } from './memory/conversation-memory.ts';
import type { OpenModelAccess, OpenModels } from './model-access.ts';
import { createOutputRecorder } from './output/output-recorder.ts';
import { createRunClock } from './run-clock.ts';
import type { Machine, NewRun, RunContext, StepDeps } from './run-context.ts';
import {
  type AbortReason,
  abortedEnd,
  environmentGone,
  failed,
  isFullDisk,
  isRunEnd,
  type RunEnd,
  serviceFailure,
  withAnswer,
  withUnreached,
} from './run-end.ts';
import { readSecrets, secretsOfServers } from './run-input.ts';
import { checkOutAll, prepareRun, runAgent } from './run-steps.ts';

type ExecutorDeps = StepDeps & {
  environments: () => readonly ServiceEnvironment[];
  publish: PublishResult;
  saveArtifacts: SaveArtifacts;
  openModels: OpenModelAccess;
  logger: Logger;
};

/** Publishes the saved changes of a run that succeeded, if its environment has publishing turned on. */
export type PublishResult = (
  finished: Pick<RunContext, 'run' | 'environment' | 'signal'> & {
    /** Saves the latest progress, including the whole answer. */
    progress: Pick<LiveProgress, 'close'>;
  },
) => Promise<void>;

/**
 * Saves the files that people can download. Called after the run's changes are saved. Returns a line for the timeline
 * if some files were left out.
 */
export type SaveArtifacts = (
  context: RunContext,
  answer: string | undefined,
) => Promise<string | undefined>;

/** Opens the sandbox. After that, the service writes nothing to the run's folder. */
function openSandbox(
  { sandboxes, checkouts }: Machine,
  { folder: fresh, ...rest }: NewRun,
): RunContext {
  const { environment, run } = rest;
  const folder = fresh.close();
  const readOnly = environment.repositories.map(({ url }) => checkouts.objectsDir(url));
  const target = { ...folder.location, runId: run.id, readOnly };
  const { address } = rest.models ?? {};
  const modelsFolder = address && 'folder' in address ? address.folder : undefined;
  const sandbox = sandboxes.open(environment, { ...target, modelsFolder });
  const toolSandbox = sandboxes.open(environment, { ...target, isOffline: true });
  return { ...rest, folder, sandbox, toolSandbox };
}

type Execution = Pick<NewRun, 'run' | 'environment' | 'memory' | 'signal'> & {
  restartReason: string | undefined;
};

/** Runs the work in a new folder. Afterward, the folder is deleted in the background. */
async function inNewFolder<T>(
  { files, stableDir, trash, sandboxes }: Machine,
  { run, environment, memory }: Execution,
  work: (folder: NewRunFolder) => Promise<T>,
): Promise<T> {
  const discard = (folder: string) => trash.discard(folder, { runId: run.id, environment });
  const { fresh, outermost } = await createRunFolder({
    worksDir: files.worksDir,
    stableDir,
    runId: run.id,
    workName: memory.workName,
    isMounted: sandboxes.mountsFolder(environment),
    discard,
  });
  memory.worksIn(basename(fresh.inside));
  try {
    return await work(fresh);
  } finally {
    await discard(outermost);
  }
}

/** Executes the steps of a run in its folder, from the checkout to publishing. */
async function executeSteps(deps: ExecutorDeps, started: NewRun): Promise<RunEnd> {
  const { store, machine } = deps;
  const checkouts = await checkOutAll(deps, started);
  const prepared = await prepareRun(deps, started);
  if (isRunEnd(prepared)) return prepared;
  const context = openSandbox(machine, started);
  const applied = await applyEarlierChanges(deps, context, checkouts);
  if (applied !== undefined) await store.note(context.run.id, applied);
  const agentEnd = await runAgent(deps, context, {
    ...prepared,
    checkouts,
    isPristine: applied === undefined,
  });
  const end = withUnreached(agentEnd, context.sandbox.unreached?.() ?? []);
  context.progress.end(end.state === 'SUCCEEDED' && !context.signal.aborted);
  await saveChanges(deps, context, checkouts);
  const answer = end.state === 'SUCCEEDED' ? context.progress.answer() : undefined;
  const leftOut = await deps.saveArtifacts(context, answer);
  if (leftOut !== undefined) await store.note(context.run.id, leftOut);
  await saveMemory(deps, context);
  const writeError = context.recorder.close();
  if (writeError === undefined) {
    if (end.state === 'SUCCEEDED' && !context.signal.aborted) await deps.publish(context);
    return withAnswer(end, answer);
  }
  return serviceFailure("Couldn't save the run's output", writeError);
}

/**
 * Creates a function that executes one run, from a new folder to the run's end. A failure is returned as the run's end.
 * The signal's reason must be an `AbortReason`. `restartReason` is set if the run was restarted.
 */
export function createRunExecutor(deps: ExecutorDeps) {
  const { store, machine, environments } = deps;

  async function executeIn(
    { run, environment, memory, signal, restartReason }: Execution,
    folder: NewRunFolder,
  ): Promise<RunEnd> {
    const recorder = createOutputRecorder(
      machine.files.outputFile(run.id),
      deps.limits.outputLimitBytes,
    );
    if (restartReason !== undefined)
      recorder.write(Buffer.from(`\n[${restartReason}. Restarting the run.]\n`), deps);
    const clock = createRunClock(
      (environment.time_limit_seconds ?? defaultTimeLimitSeconds) * 1000,
    );
    let progress: LiveProgress | undefined;
    let models: OpenModels | undefined;
    try {
      const config = agentConfigSchema.parse(JSON.parse(run.config_json));
      const secrets = await readSecrets(environment);
      const listenOn = modelListenerOf(environment);
      if (environment.models)
        models = await deps.openModels({ run, environment, clock, listenOn, signal });
      const hidden = [
        ...Object.values(secrets),
        ...secretsOfServers(config),
        ...(models ? [models.token] : []),
      ];
      progress = createLiveProgress(run.id, hidden, store);
      progress.changed();
      const started = {
        run,
        config,
        environment,
        secrets,
        models,
        hidden,
        folder,
        workDir: folder.inside,
        recorder,
        progress,
        memory,
        signal,
        clock,
      };
      return await executeSteps(deps, started);
    } finally {
      await models?.close();
      clock.stop();
      recorder.close();
      await progress?.close();
    }
  }

  return async function executeRun(
    run: ExecutedRun,
    signal: AbortSignal,
    restartReason?: string,
  ): Promise<RunEnd> {
    const environment = findEnvironment(environments(), run.environment_id);
    if (!environment) {
      const ids = environments().map(({ id }) => id);
      return environmentGone(run.environment_id, ids);
    }
    // Stop waiting for the check if the run is aborted. The check can be slow, because it may download a container
    // image.
    const problems = await unlessAborted(problemsOf(environment, machine), signal);
    if (!problems) return abortedEnd(signal.reason as AbortReason);
    const problem = problems.find(({ blocksRuns }) => blocksRuns);
    if (problem)
      return failed(`Runs in environment "${environment.id}" can't start: ${problem.message}.`, {
        error_code: 'environment_setup_failed',
      });
    let memory: Memory | undefined;
    try {
      memory = await machine.openMemory(run, environment, signal);
      const execution = { run, environment, memory, signal, restartReason };
      const end = await inNewFolder(machine, execution, (folder) => executeIn(execution, folder));
      return signal.aborted ? abortedEnd(signal.reason as AbortReason) : end;
    } catch (error) {
      if (signal.aborted) return abortedEnd(signal.reason as AbortReason);
      if (error instanceof ExplainedError && !isFullDisk(error.message))
        return failed(error.message, { error_code: 'environment_setup_failed' });
      deps.logger.error({ err: error, runId: run.id }, 'a run failed inside the service');
      const why = error instanceof Error ? error.message : String(error);
      return serviceFailure("The runs service couldn't execute this run", why);
    } finally {
      memory?.release();
    }
  };
}

export type ExecuteRun = ReturnType<typeof createRunExecutor>;
