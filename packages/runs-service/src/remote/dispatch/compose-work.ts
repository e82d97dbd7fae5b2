import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isolationOf, type ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { keptMs } from '../../execution/memory/conversation-memory.ts';
import { readEarlierRuns } from '../../execution/memory/conversation-text.ts';
import { readSecrets } from '../../execution/run-input.ts';
import { agentProviders } from '../../gateway/agent-providers.ts';
import { readStoredLimits } from '../../gateway/caps/stored-limits.ts';
import type { StoredDispatch } from '../../store/dispatches.ts';
import { memoryId } from '../../store/kept-conversations.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Stores } from '../../store/stores.ts';
import { modelTokenOf } from '../model-token.ts';
import type { Work } from '../protocol.ts';
import { deadlineSecondsOf } from './follow-attempt.ts';

export type RemoteLimits = Omit<Work['limits'], 'deadline_seconds'>;

/**
 * Finds the saved memory of the run's conversation. `size` is undefined if the memory's file isn't on this machine.
 * Returns undefined if no memory is kept.
 */
export async function findMemory(
  { conversations }: Stores,
  files: RunFiles,
  run: StoredRun,
  environment: ServiceEnvironment,
) {
  const kept = await conversations.get(memoryId(run.conversation_id, environment.id));
  if (!kept || kept.saved_at <= Date.now() - keptMs(environment)) return undefined;
  const file = join(files.conversationsDir, kept.file_name);
  const size = (await stat(file).catch(() => undefined))?.size;
  return { kept, file, size };
}

/** Finds the saved changes that a run starts with. */
export async function findEarlierChanges({ runs }: Stores, files: RunFiles, run: StoredRun) {
  const earlier = await runs.latestOfConversation(run);
  if (!earlier) return undefined;
  const { id: run_id, environment_id } = earlier;
  const incomplete = files.incompletePatchFile(earlier.id);
  if (existsSync(incomplete))
    return { run_id, environment_id, whole: false, bytes: 0, file: incomplete };
  const file = files.patchFile(earlier.id);
  const size = (await stat(file).catch(() => undefined))?.size;
  return size === undefined
    ? undefined
    : { run_id, environment_id, whole: true, bytes: size, file };
}

/**
 * Composes everything that `run-one` needs.
 * @throws ExplainedError if a secret can't be read
 */
export async function composeWork(
  {
    run,
    dispatch,
    attemptToken,
  }: { run: StoredRun; dispatch: StoredDispatch; attemptToken: string },
  environment: ServiceEnvironment,
  { stores, files, limits }: { stores: Stores; files: RunFiles; limits: RemoteLimits },
): Promise<Work> {
  const { runs } = stores;
  const [attachments, earlier, changes, memory, isHeld, secrets] = await Promise.all([
    runs.attachmentsOf(run.id),
    readEarlierRuns(stores, run),
    findEarlierChanges(stores, files, run),
    findMemory(stores, files, run, environment),
    runs.hasOlderActiveRun(run),
    readSecrets(environment),
  ]);
  const { id, title, prompt, config_json, environment_id, conversation_id, created_at } = run;
  return {
    run: { id, title, prompt, config_json, environment_id, conversation_id, created_at },
    environment: environmentFor(environment, { secrets, models: readStoredLimits(run).models }),
    ...(environment.providers && { model_token: modelTokenOf(attemptToken) }),
    attachments,
    ...(dispatch.attempt > 1 && { restart_reason: 'The process of this run was lost' }),
    earlier,
    ...(changes && { earlier_changes: withoutFile(changes) }),
    memory: {
      is_held: isHeld,
      ...(memory &&
        !isHeld && {
          kept: {
            work_name: memory.kept.work_name,
            session_id: memory.kept.session_id,
            file_key: memory.kept.file_key,
            saved_at: memory.kept.saved_at,
            ...(memory.size !== undefined && { bytes: memory.size }),
          },
        }),
    },
    limits: { ...limits, deadline_seconds: deadlineSecondsOf(environment) },
  };
}

/** Returns the environment for the machine of `run-one`, without everything that only the service needs. */
function environmentFor(
  environment: ServiceEnvironment,
  { secrets, models }: { secrets: Record<string, string>; models: readonly string[] | undefined },
): Work['environment'] {
  const { runner, dispatch, secret_files, publish, providers, caps, timeZone, ...rest } =
    environment;
  return {
    ...rest,
    isolation: isolationOf(environment),
    // Turn off the setup cache. Each run has its own machine, so no later run could use a cached setup.
    cache_setup: false,
    secrets,
    ...(providers && { providers: agentProviders(providers, models) }),
  };
}

const withoutFile = ({
  file: _,
  ...changes
}: NonNullable<Awaited<ReturnType<typeof findEarlierChanges>>>) => changes;
