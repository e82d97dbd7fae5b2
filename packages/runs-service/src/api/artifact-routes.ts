import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import { checkLink, createLink } from '../artifacts/download-link.ts';
import type { ReadContent } from '../artifacts/open-contents.ts';
import { fileName, presentArtifact } from '../artifacts/present-artifact.ts';
import type { ArtifactStore } from '../store/artifacts.ts';
import type { CallerVariables } from './keys/authentication.ts';
import { ApiProblem } from './problem.ts';
import type { VisibleRuns } from './runs/visible-runs.ts';

type Artifacts = Pick<ArtifactStore, 'get'>;

type ArtifactRoutesOptions = {
  artifacts: Artifacts;
  visibleRuns: Pick<VisibleRuns, 'get'>;
  /** URL on which the service listens. The bot uses it for an embedded service, even if browsers can't reach it. */
  url: () => string;
  /** URL of the service for browsers. */
  publicUrl: () => string;
};

/** Creates the route for one artifact. Callers only get artifacts of runs that their key can see. */
export function createArtifactRoutes({
  artifacts,
  visibleRuns,
  url,
  publicUrl,
}: ArtifactRoutesOptions): Hono<{ Variables: CallerVariables }> {
  const isCalledHere = ({ req }: Context) => req.header('host') === new URL(url()).host;
  const app = new Hono<{ Variables: CallerVariables }>();
  app.get('/agent/artifacts/:uid', async (context) => {
    const uid = context.req.param('uid');
    const unknown = new ApiProblem(
      'resource_not_found',
      `Artifact "${uid.slice(0, 100)}" doesn't exist.`,
    );
    const artifact = await artifacts.get(uid);
    if (!artifact) throw unknown;
    await visibleRuns.get(context.get('caller'), artifact.runId).catch((error: unknown) => {
      throw error instanceof ApiProblem ? unknown : error;
    });
    if (!artifact.data.file) return context.json(presentArtifact(artifact, undefined));
    const { path, expiresAt } = createLink(artifact);
    const address = isCalledHere(context) ? url() : publicUrl();
    const download = {
      url: `${address}${path}`,
      browserUrl: `${publicUrl()}${path}`,
      expiresAt,
    };
    return context.json(presentArtifact(artifact, download));
  });
  return app;
}

/** Creates the route that sends files to people with a signed link, which needs no key. */
export function createDownloadRoutes({
  artifacts,
  readContent,
}: {
  artifacts: Artifacts;
  readContent: ReadContent;
}): Hono {
  const app = new Hono();
  app.get('/artifacts/:uid', async (context) => {
    const { expires = '', signature = '' } = context.req.query();
    const artifact = await artifacts.get(context.req.param('uid'));
    const check = artifact ? checkLink(artifact, { expires, signature }) : 'wrong';
    if (!artifact?.data.file || check !== 'valid')
      throw new ApiProblem(
        'resource_not_found',
        check === 'expired'
          ? 'This link has expired. Get the artifact again for a new one.'
          : "This link doesn't lead to a file.",
      );
    const { path, contentType, bytes } = artifact.data.file;
    const chunks = await readContent(artifact.data.file);
    return sendFile({ name: fileName(path), contentType, bytes, chunks });
  });
  return app;
}

type SentFile = {
  name: string;
  contentType: string;
  bytes?: number | undefined;
  chunks: AsyncIterable<Buffer> | undefined;
};

/** Sends a file that an agent may have written. The headers make browsers save the file and run nothing in it. */
export function sendFile({ name, contentType, bytes, chunks }: SentFile): Response {
  if (!chunks)
    throw new ApiProblem(
      'resource_not_found',
      "This file isn't here. It doesn't exist yet, was deleted, or is on another process of this service.",
    );
  const headers = {
    'content-type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(bytes !== undefined && { 'content-length': String(bytes) }),
  };
  const body = Readable.toWeb(Readable.from(chunks, { objectMode: false }));
  return new Response(body as ReadableStream, { headers });
}

/** Encodes a file name for a header as in RFC 8187. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
