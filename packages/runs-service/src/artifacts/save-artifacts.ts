import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Logger } from 'base/logger';
import type { AgentProgress } from 'runs-client/contract';
import type { RunFiles } from '../execution/files/run-files.ts';
import type { RunContext } from '../execution/run-context.ts';
import type { SaveArtifacts } from '../execution/run-executor.ts';
import type { ArtifactFile, StoredArtifact } from '../store/artifacts.ts';
import type { ContentStore } from './content-store.ts';
import { contentTypeOf, isImage, linkIn, ownTypeOf } from './content-type.ts';
import { type ContentWriter, createContentWriter } from './content-writer.ts';
import { type ArtifactLimits, describeLeftOut, readLeftFiles } from './left-files.ts';

export type SaveArtifactsOptions = {
  /** Replaces the run's stored artifacts. */
  replace: (
    runId: string,
    artifacts: readonly StoredArtifact[],
    signal: AbortSignal,
  ) => Promise<void>;
  store: ContentStore;
  files: RunFiles;
  limits: ArtifactLimits;
  path: string;
  logger: Logger;
};

/** Artifact of the run that isn't stored yet. */
type Found = Pick<StoredArtifact, 'artifactType' | 'data'>;

/** Max characters of an answer that `status_message` contains completely. A longer answer also becomes a file. */
const maxStatusCharacters = 4_000;

/**
 * Creates a function that saves a run's artifacts. Contents are stored first, then all rows at once. If the process
 * dies in between, pruning deletes contents without a row.
 */
export function createSaveArtifacts(options: SaveArtifactsOptions): SaveArtifacts {
  const { files, limits, logger } = options;
  const folder = files.artifactsDir;

  async function save(context: RunContext, answer: string | undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { run, hidden, progress, signal } = context;
    // Allow only 2 seconds if the run was aborted, so that saving doesn't delay a stop of the service.
    const deadline = signal.aborted
      ? AbortSignal.timeout(2_000)
      : AbortSignal.any([signal, AbortSignal.timeout(5 * 60_000)]);
    const { store } = options;
    const open = () => createContentWriter({ store, folder, hidden, signal: deadline });
    const found = await patchOf(files, run.id, open);
    if (answer !== undefined && [...answer].length > maxStatusCharacters)
      found.push(await ownFile(filled(open(), answer), 'answer.md'));
    const { plan } = progress.headline();
    if (plan) found.push({ artifactType: 'PLAN', data: { text: planText(plan) } });
    const reading = { path: options.path, limits, openWriter: open, signal: deadline };
    const left = await readLeftFiles(context, reading);
    for (const { path, writer } of left.files) found.push(await leftBy(writer, path));
    const createdAt = Date.now();
    const rows = found.map((each, number) => ({
      ...each,
      uid: randomUUID(),
      runId: run.id,
      number,
      createdAt,
    }));
    await options.replace(run.id, rows, signal);
    return describeLeftOut(left.leftOut);
  }

  return async (context, answer) => {
    if (context.signal.reason === 'lost') return undefined;
    try {
      return await save(context, answer);
    } catch (error) {
      logger.error({ err: error, runId: context.run.id }, 'cannot save the files of a run');
      return `Couldn't save the run's files: ${error instanceof Error ? error.message : error}`;
    }
  };
}

async function patchOf(files: RunFiles, runId: string, open: () => ContentWriter) {
  const found: Found[] = [];
  for (const file of [files.patchFile(runId), files.incompletePatchFile(runId)]) {
    const size = (await stat(file).catch(() => undefined))?.size ?? 0;
    if (size === 0) continue;
    const writer = open();
    for await (const chunk of createReadStream(file)) writer.push(chunk);
    writer.close();
    found.push(await ownFile(writer, basename(file)));
  }
  return found;
}

function filled(writer: ContentWriter, text: string): ContentWriter {
  writer.push(Buffer.from(text));
  writer.close();
  return writer;
}

const ownFile = (writer: ContentWriter, name: string): Promise<Found> =>
  fileOf(writer, name, ownTypeOf(name, writer.start()));

/** Turns an agent's file into an artifact. A shortcut becomes a link, any other file a download. */
async function leftBy(writer: ContentWriter, path: string): Promise<Found> {
  const start = writer.start();
  const link = linkIn(path, start);
  if (!link) return fileOf(writer, path, contentTypeOf(start));
  await writer.discard();
  return { artifactType: 'EXTERNAL_REFERENCE', data: { link } };
}

async function fileOf(writer: ContentWriter, path: string, contentType: string): Promise<Found> {
  const file: ArtifactFile = { ...(await writer.store()), contentType, path };
  return { artifactType: isImage(contentType) ? 'SCREENSHOT' : 'FILE', data: { file } };
}

/** Formats a plan as a Markdown task list. */
const planText = (plan: NonNullable<AgentProgress['plan']>): string =>
  plan
    .map(({ title, state }) => {
      const note = state === 'in_progress' ? ' (in progress)' : '';
      return `- [${state === 'completed' ? 'x' : ' '}] ${title}${note}`;
    })
    .join('\n');
