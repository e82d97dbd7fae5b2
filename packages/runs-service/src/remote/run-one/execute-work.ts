import { mkdir, stat } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { createSaveArtifacts } from '../../artifacts/save-artifacts.ts';
import { runFiles } from '../../execution/files/run-files.ts';
import { createMemories } from '../../execution/memory/conversation-memory.ts';
import { prepareMachine } from '../../execution/prepare-machine.ts';
import type { RunEnd } from '../../execution/run-end.ts';
import { createRunExecutor } from '../../execution/run-executor.ts';
import type { Trash } from '../../sandbox/deletion/trash.ts';
import type { Sandboxes } from '../../sandbox/sandboxes.ts';
import type { Work } from '../protocol.ts';
import { openModelsOverHttp } from './open-models.ts';
import {
  artifactsOverHttp,
  contentsOverHttp,
  conversationsOverHttp,
  fetchEarlierChanges,
  sendChanges,
  toolsOverHttp,
} from './over-http.ts';
import type { Reporter } from './reporter.ts';
import { RequestRejectedError, type ServiceLink } from './service-link.ts';
import type { SpendNews } from './spend-news.ts';

type ExecuteWorkOptions = {
  work: Work;
  /** Folder that only this attempt uses. */
  dataDir: string;
  /**
   * Parent of the folders that agents see, which have the same path in every run of a conversation. All runs on this
   * machine share it.
   */
  stableDir: string;
  sandboxes: Sandboxes;
  trash: Trash;
  path: string;
  link: ServiceLink;
  /** URL of the service, to which model calls go. */
  serviceUrl: string;
  reporter: Reporter;
  spending: SpendNews;
  /** Aborts when the run has to end. Its reason is an `AbortReason`. */
  signal: AbortSignal;
  /** Aborts when the service no longer needs this process. */
  over: AbortSignal;
  logger: Logger;
};

/** Creates an executor like the service's own. Its store reads and saves over the link to the service. */
async function createExecutor(options: ExecuteWorkOptions) {
  const { work, dataDir, stableDir, sandboxes, trash, path } = options;
  const { link, serviceUrl, reporter, spending, logger } = options;
  const { limits } = work;
  const machine = prepareMachine({ dataDir, path, sandboxes, trash, logger });
  // Turn off the folder pool, because this machine executes only one run.
  await machine.folderPool.stop();
  const { files } = machine;
  const tools = toolsOverHttp(link, reporter);
  const saveArtifacts = createSaveArtifacts({
    replace: artifactsOverHttp(link),
    store: contentsOverHttp(link),
    files,
    path,
    limits: limits.artifacts,
    logger,
  });
  return createRunExecutor({
    store: {
      latestOfConversation: () => fetchEarlierChanges(link, work, files, reporter.note),
      attachmentsOf: async () => work.attachments,
      takeFollowup: tools.takeFollowup,
      questions: tools.questions,
      note: tools.note,
      saveUsage: tools.saveUsage,
      saveProgress: tools.saveProgress,
      announceProgress: tools.announceProgress,
    },
    machine: {
      sandboxes,
      trash,
      checkouts: machine.checkouts,
      setups: machine.setups,
      files,
      stableDir,
      path,
      openMemory: createMemories({
        folder: files.conversationsDir,
        conversations: await conversationsOverHttp(link, work, files),
        earlierRuns: async () => work.earlier,
        isHeldByAnotherRun: work.memory.is_held,
      }),
    },
    skills: machine.skills,
    limits: {
      outputLimitBytes: limits.output_bytes,
      patchLimitBytes: limits.patch_bytes,
      killGraceMs: limits.kill_grace_ms,
    },
    environments: () => [work.environment],
    // Publish nothing here, because the service publishes the saved changes.
    publish: async () => undefined,
    async saveArtifacts(context, answer) {
      await sendChanges(link, files, work.run.id);
      return saveArtifacts(context, answer);
    },
    openModels: openModelsOverHttp({ work, serviceUrl, spending, logger }),
    logger,
  });
}

/**
 * Executes the run as the service does on its own machine, and sends the output to the service.
 * @returns the run's end, and a function that sends the rest of the output. With `again`, it sends all output, because
 * another service answers now.
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

const pollMs = 300;

/**
 * Creates a sender for the output file of a run, which sends while the file grows. While the service is down, output
 * waits in the file.
 */
export function createOutputSender(
  { link, file }: { link: Pick<ServiceLink, 'sendFrom'>; file: string },
  { signal, logger }: { signal: AbortSignal; logger: Logger },
) {
  let sent = 0;
  const ending = new AbortController();
  const sizeOf = async () => (await stat(file).catch(() => undefined))?.size ?? 0;

  async function sendNew(): Promise<void> {
    if ((await sizeOf()) > sent) sent = await link.sendFrom('output', file, sent);
  }

  async function run(): Promise<void> {
    while (!signal.aborted && !ending.signal.aborted) {
      try {
        await sendNew();
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error }, 'cannot send the output');
        if (error instanceof RequestRejectedError) return;
      }
      await sleep(pollMs, AbortSignal.any([signal, ending.signal]));
    }
  }
  const running = run();

  return {
    /**
     * Sends the rest of the output. With `again`, sends all of it, because another service answers now.
     * @returns the size of the whole output, in bytes
     */
    async finish(again: boolean): Promise<number> {
      ending.abort();
      await running;
      if (again) sent = 0;
      await sendNew();
      return sizeOf();
    },
  };
}
