import { mkdir } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { createSaveArtifacts } from '../../artifacts/save-artifacts.ts';
import { runFiles } from '../../execution/files/run-files.ts';
import { createSkills } from '../../execution/files/skills.ts';
import { createCheckouts } from '../../execution/git/checkout.ts';
import { createMemories } from '../../execution/memory/conversation-memory.ts';
import type { RunEnd } from '../../execution/run-end.ts';
import { createRunExecutor, type SaveArtifacts } from '../../execution/run-executor.ts';
import { createSetupCache } from '../../execution/setup/setup-cache.ts';
import { createSpares } from '../../execution/spares.ts';
import type { Trash } from '../../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../../sandbox/sandboxes.ts';
import type { Work } from '../protocol/work.ts';
import {
  artifactsOverHttp,
  contentsOverHttp,
  conversationsOverHttp,
  fetchEarlierChanges,
  sendChanges,
} from './files-over-http.ts';
import { createOutputSender } from './output-sender.ts';
import type { Reporter } from './reporter.ts';
import type { ServiceLink } from './service-link.ts';
import { toolsOverHttp } from './tools-over-http.ts';

type ExecuteWorkOptions = {
  work: Work;
  /** Of this attempt only. */
  dataDir: string;
  /** Where folders of conversations are seen, by all runs of this machine. */
  stableDir: string;
  sandboxes: Sandboxes;
  trash: Trash;
  path: string;
  link: ServiceLink;
  reporter: Reporter;
  /** Its reason is an `AbortReason`. */
  signal: AbortSignal;
  /** Aborts once the service wants nothing more. */
  over: AbortSignal;
  logger: Logger;
};

/** Nothing is made ahead: this machine executes one run. */
async function noSpares(folder: string, logger: Logger) {
  const spares = createSpares({ folder, logger });
  await spares.stop();
  return spares;
}

/** The executor of the service, with everything that it reads and saves at the other end of the link. */
async function createExecutor(options: ExecuteWorkOptions) {
  const { work, dataDir, stableDir, sandboxes, trash, path, link, reporter, logger } = options;
  const { limits } = work;
  const files = runFiles(dataDir);
  const spares = await noSpares(files.sparesDir, logger);
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path, spares });
  const saveArtifacts = createSaveArtifacts({
    replace: artifactsOverHttp(link),
    store: contentsOverHttp(link),
    files,
    path,
    logger,
    limits: limits.artifacts,
  });
  const saveAll: SaveArtifacts = async (context, answer) => {
    await sendChanges(link, files, work.run.id);
    return saveArtifacts(context, answer);
  };
  return createRunExecutor({
    store: {
      ...toolsOverHttp(link, reporter),
      attachmentsOf: async () => work.attachments,
      latestOfConversation: () => fetchEarlierChanges(link, work, files, reporter.note),
    },
    machine: {
      sandboxes,
      trash,
      checkouts,
      setups: createSetupCache({ folder: files.setupsDir, path, sandboxes, trash, spares }),
      openMemory: createMemories({
        folder: files.conversationsDir,
        conversations: await conversationsOverHttp(link, work, files),
        earlierRuns: async () => work.earlier,
        isHeldElsewhere: work.memory.is_held,
      }),
      files,
      stableDir,
      path,
    },
    skills: createSkills({ checkouts, logger }),
    limits: {
      outputLimitBytes: limits.output_bytes,
      patchLimitBytes: limits.patch_bytes,
      killGraceMs: limits.kill_grace_ms,
    },
    environments: () => [work.environment],
    // The service publishes, from the saved changes.
    publish: async () => undefined,
    saveArtifacts: saveAll,
    logger,
  });
}

/**
 * Executes the run as the service would on its own machine, and sends all of its output.
 * @returns its end, and how to send the output again if another service answers now
 */
export async function executeWork(
  options: ExecuteWorkOptions,
): Promise<{ end: RunEnd; finishOutput: (again: boolean) => Promise<number> }> {
  const { work, link, signal, over, logger } = options;
  const { run } = work;
  const files = runFiles(options.dataDir);
  for (const folder of [files.conversationsDir, files.transcriptDir(run.id)])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = files.outputFile(run.id);
  const output = createOutputSender({ link, file }, { signal: over, logger });
  const execute = await createExecutor(options);
  const end = await execute(run, signal, work.restart_reason);
  return { end, finishOutput: output.finish };
}
