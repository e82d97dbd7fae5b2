import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { agentConfigSchema } from 'runs-client/contract';
import type { ServiceRun, ServiceRuns } from '../../../store/service/service-runs.ts';
import { presentRun } from '../../api/present-run.ts';
import { ApiProblem } from '../../api/problem.ts';
import { repositoryName, type ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/run-files.ts';
import { hasEnded } from '../../queue/run-state.ts';
import { listStyle } from '../run-list/list-style.ts';
import type { Session } from './session.ts';
import { followSession } from './session-live.ts';
import { readSessionPatch } from './session-patch.ts';
import { sessionScript } from './session-script.ts';
import { sessionStyle } from './session-style.ts';
import { sessionPage } from './session-view.ts';

export type SessionRoutesOptions = {
  runs: ServiceRuns;
  followupsOf: (runId: string) => Promise<string[]>;
  environments: () => readonly ServiceEnvironment[];
  files: RunFiles;
  /** This process's name in the store. */
  owner: string;
  /** How long transcripts are kept. */
  keptMs: number;
  /** Aborts when the service stops: live pages end with it. */
  stopping: AbortSignal;
};

/** More output than this is only in the raw log; a browser gets slow. */
const shownOutputBytes = 512 * 1024;

const protection = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** The page behind `session_link`. Who has the link may look: its token is 32 random bytes. */
export function createSessionRoutes(options: SessionRoutesOptions): Hono {
  const { runs, files, stopping } = options;
  const app = new Hono();
  for (const path of ['/session/*', '/session-assets/*']) {
    app.use(path, async (context, next) => {
      await next();
      for (const [name, value] of Object.entries(protection)) context.header(name, value);
    });
  }

  async function find(context: Context): Promise<ServiceRun> {
    const run = await runs.getBySessionToken(context.req.param('token') ?? '');
    if (!run) throw new ApiProblem('resource_not_found', 'There is no session behind this link.');
    return run;
  }

  app.get('/session-assets/session.css', (context) =>
    context.body(sessionStyle + listStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
  );
  app.get('/session-assets/session.js', (context) =>
    context.body(sessionScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );

  app.get('/session/:token', async (context) =>
    context.html(sessionPage(await readSession(options, await find(context)))),
  );

  app.get('/session/:token/events', async (context) => {
    const run = await find(context);
    const from = Number(context.req.header('last-event-id') ?? context.req.query('from') ?? 0);
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      const events = followSession({
        outputFile: files.outputFile(run.id),
        from: Number.isSafeInteger(from) && from >= 0 ? from : 0,
        signal: AbortSignal.any([gone.signal, stopping]),
        look: async () => {
          const now = await runs.get(run.id);
          return now && { updatedAt: now.updated_at, ended: hasEnded(now.state) };
        },
      });
      for await (const event of events) await stream.writeSSE(event);
    });
  });

  app.get('/session/:token/output.log', async (context) =>
    download(files.outputFile((await find(context)).id)),
  );
  app.get('/session/:token/changes.patch', async (context) =>
    download(files.patchFile((await find(context)).id)),
  );
  app.get('/session/:token/incomplete.patch', async (context) =>
    download(files.incompletePatchFile((await find(context)).id)),
  );
  return app;
}

async function download(path: string): Promise<Response> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw new ApiProblem(
      'resource_not_found',
      'This file is not here: not yet, not any more, or another process of this service has it.',
    );
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment',
  };
  return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream, { headers });
}

async function readSession(options: SessionRoutesOptions, run: ServiceRun): Promise<Session> {
  const { runs, files, environments } = options;
  const environment = environments().find(({ id }) => id === run.environment_id);
  const [changes, followups, output, patch] = await Promise.all([
    runs.changesOf(run.id),
    options.followupsOf(run.id),
    readEnd(files.outputFile(run.id), !hasEnded(run.state)),
    readSessionPatch(files, run.id),
  ]);
  return {
    run: presentRun(run, { sessionLink: '' }),
    config: agentConfigSchema.parse(JSON.parse(run.config_json)),
    changes,
    followups,
    command: environment?.command.flat() ?? [],
    repositories: environment?.repositories.map(repositoryName) ?? [],
    network: environment?.network_note,
    output: output.text,
    outputOffset: output.bytes,
    outputBytes: output.bytes,
    patch,
    missing: output.found ? undefined : whyMissing(options, run),
    ended: hasEnded(run.state),
    address: run.session_token,
  };
}

function whyMissing({ owner, keptMs }: SessionRoutesOptions, run: ServiceRun) {
  if (run.started_at === null) return undefined;
  if (!hasEnded(run.state)) return run.lease_owner === owner ? undefined : 'elsewhere';
  return Date.now() - run.updated_at > keptMs ? 'pruned' : 'elsewhere';
}

/** The last part of a file, up to its last line end while it grows; empty when there is none. */
async function readEnd(
  path: string,
  growing: boolean,
): Promise<{ text: string; bytes: number; found: boolean }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', bytes: 0, found: false };
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - shownOutputBytes);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start,
    );
    const read = buffer.subarray(0, bytesRead);
    // Where the line that it began in ends; the end, where the last line does: the rest comes live, when it is whole.
    const from = start === 0 ? 0 : read.indexOf(0x0a) + 1;
    const to = growing ? read.lastIndexOf(0x0a) + 1 : read.length;
    const text = read.subarray(from, Math.max(from, to)).toString('utf8');
    return { text, bytes: start + Math.max(from, to), found: true };
  } finally {
    await file.close();
  }
}
