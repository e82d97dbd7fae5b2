import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { createMask } from '../../../lib/mask-secrets.ts';
import type { ServiceRun } from '../../../store/service/service-runs.ts';
import { ApiProblem } from '../../api/problem.ts';
import { createLineMask } from '../../execution/output/line-mask.ts';
import { createWholeLines } from '../../execution/output/output-streams.ts';
import type { RunFiles } from '../../execution/run-files.ts';

export type SessionDownloadsOptions = {
  findRun: (context: Context) => Promise<ServiceRun>;
  /** Only for people who signed in. */
  findRunSignedIn: (context: Context) => Promise<ServiceRun>;
  files: RunFiles;
};

/** The output is masked when it's saved. Patches aren't, because later runs apply them. */
export function createSessionDownloads(options: SessionDownloadsOptions): Hono {
  const { findRun, findRunSignedIn, files } = options;
  const app = new Hono();
  app.get('/session/:token/output.log', async (context) =>
    download(files.outputFile((await findRun(context)).id), (chunks) => chunks),
  );
  app.get('/session/:token/changes.patch', async (context) =>
    download(files.patchFile((await findRun(context)).id), maskedPatch),
  );
  app.get('/session/:token/incomplete.patch', async (context) =>
    download(files.incompletePatchFile((await findRun(context)).id), maskedPatch),
  );
  app.get('/session/:token/exact.patch', async (context) =>
    download(files.patchFile((await findRunSignedIn(context)).id), (chunks) => chunks),
  );
  return app;
}

type Chunks = AsyncIterable<Buffer>;

async function download(path: string, read: (chunks: Chunks) => Chunks): Promise<Response> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw new ApiProblem(
      'resource_not_found',
      "This file isn't here. It doesn't exist yet, was deleted, or is on another process of this service.",
    );
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment',
  };
  const body = Readable.from(read(createReadStream(path)), { objectMode: false });
  return new Response(Readable.toWeb(body) as ReadableStream, { headers });
}

async function* maskedPatch(chunks: Chunks): Chunks {
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
