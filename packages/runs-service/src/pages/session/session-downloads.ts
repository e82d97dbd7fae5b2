import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createMask } from 'base/secrets/mask-secrets';
import { type Context, Hono } from 'hono';
import { sendFile } from '../../api/artifact-routes.ts';
import type { ReadContent } from '../../artifacts/open-contents.ts';
import { fileName } from '../../artifacts/present-artifact.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { createLineMask, createWholeLines } from '../../execution/output/output-streams.ts';
import type { ArtifactFile, ArtifactStore } from '../../store/artifacts.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { SessionAccess } from './session-access.ts';

/** Returns true if the file can be opened without signing in. Only text can, because other types can't be masked. */
export const isMaskable = ({ contentType }: ArtifactFile): boolean =>
  contentType.startsWith('text/');

/**
 * Creates the routes for downloads. Patches and files are masked here, because they're saved unmasked for later runs
 * and signed-in people. Output was masked when it was saved.
 */
export function createSessionDownloads({
  access: { findRun, findRunSignedIn },
  files,
  artifacts,
  readContent,
}: {
  access: SessionAccess;
  files: RunFiles;
  artifacts: ArtifactStore;
  readContent: ReadContent;
}): Hono {
  /** Returns the file of an artifact, if it belongs to the run. */
  async function fileOf(context: Context, run: StoredRun): Promise<ArtifactFile | undefined> {
    const artifact = await artifacts.get(context.req.param('uid') ?? '');
    return artifact?.runId === run.id ? artifact.data.file : undefined;
  }

  const app = new Hono();
  app.get('/session/:token/output.log', async (context) =>
    sendLocal(files.outputFile((await findRun(context)).id), (chunks) => chunks),
  );
  app.get('/session/:token/changes.patch', async (context) =>
    sendLocal(files.patchFile((await findRun(context)).id), masked),
  );
  app.get('/session/:token/incomplete.patch', async (context) =>
    sendLocal(files.incompletePatchFile((await findRun(context)).id), masked),
  );
  app.get('/session/:token/exact.patch', async (context) =>
    sendLocal(files.patchFile((await findRunSignedIn(context)).id), (chunks) => chunks),
  );
  app.get('/session/:token/files/:uid', async (context) => {
    const file = await fileOf(context, await findRun(context));
    const chunks = file && isMaskable(file) ? await readContent(file) : undefined;
    return sendText(fileName(file?.path ?? ''), chunks && masked(chunks));
  });
  app.get('/session/:token/exact/:uid', async (context) => {
    const file = await fileOf(context, await findRunSignedIn(context));
    if (!file) return sendText('', undefined);
    const { path, contentType, bytes } = file;
    const chunks = await readContent(file);
    return sendFile({ name: fileName(path), contentType, bytes, chunks });
  });
  return app;
}

type Chunks = AsyncIterable<Buffer>;

const sendText = (name: string, chunks: Chunks | undefined): Response =>
  sendFile({ name, contentType: 'text/plain', chunks });

async function sendLocal(path: string, read: (chunks: Chunks) => Chunks): Promise<Response> {
  const found = await stat(path).catch(() => undefined);
  return sendText(basename(path), found && read(createReadStream(path)));
}

async function* masked(chunks: Chunks): Chunks {
  const mask = createLineMask(createMask(0, { keepsLines: true }));
  const ready: Buffer[] = [];
  const lines = createWholeLines((whole) => ready.push(mask.push(whole)));
  for await (const chunk of chunks) {
    lines.push(chunk);
    yield* ready.splice(0);
  }
  lines.end();
  yield* [...ready, mask.flush()];
}
