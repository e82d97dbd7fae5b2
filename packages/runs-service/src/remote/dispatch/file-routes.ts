import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { LRUCache } from 'lru-cache';
import { ApiProblem } from '../../api/problem.ts';
import { readBody, readJson } from '../../api/read-request.ts';
import type { ContentStore } from '../../artifacts/content-store.ts';
import { hashOfFile } from '../../artifacts/content-writer.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { memoryId } from '../../store/kept-conversations.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Stores } from '../../store/stores.ts';
import { type FinishedFile, finishedFileSchema } from '../protocol.ts';
import { findEarlierChanges, findMemory, type RemoteLimits } from './compose-work.ts';
import type { FileTarget, ReceivedFiles } from './received-files.ts';
import type { FindEnvironment, WorkerContext, WorkerVariables } from './worker-access.ts';

type FileRoutesOptions = {
  stores: Stores;
  contents: ContentStore;
  files: RunFiles;
  received: ReceivedFiles;
  environmentOf: FindEnvironment;
  limits: RemoteLimits;
};

const maxChunkBytes = 4 * 1024 * 1024;
const mebibyte = 1024 * 1024;
const maxMemoryBytes = 210 * mebibyte;
/** Extra bytes that a content can have due to its encryption, which adds a few bytes to each part. */
const sealBytes = mebibyte;
/** Max contents in addition to the agent's files: changes, incomplete changes, and an answer. */
const ownContents = 3;
/** Max time to store a content, in ms. `run-one` waits longer. */
const storeMs = 60_000;
const content = /^content-([0-9a-f]{64})$/;

/** Creates the routes for files from and to `run-one`. No request can reach another run's files. */
export function createFileRoutes(options: FileRoutesOptions) {
  const { stores, received, limits, environmentOf, files } = options;
  const maxFiles = limits.artifacts.files + ownContents;
  const budget = createBudget({
    maxFiles,
    maxBytes: limits.artifacts.totalBytes + limits.patch_bytes + maxFiles * sealBytes,
  });

  /** Names of stored contents, so that a repeated request succeeds after a lost reply. */
  const finished = new LRUCache<string, true>({ max: 10_000 });

  function maxBytesOf(name: string): number {
    if (name === 'output') return limits.output_bytes + mebibyte;
    if (name === 'patch' || name === 'incomplete-patch') return limits.patch_bytes + mebibyte;
    if (name === 'memory') return maxMemoryBytes;
    if (content.test(name))
      return Math.max(limits.artifacts.fileBytes, limits.patch_bytes) + sealBytes;
    throw new ApiProblem('resource_not_found', 'There is no such file.');
  }

  const targetOf = (context: WorkerContext) => ({
    runId: context.get('run').id,
    attempt: context.get('dispatch').attempt,
    name: context.req.param('name') ?? '',
  });

  async function finish(run: StoredRun, target: FileTarget, file: FinishedFile): Promise<boolean> {
    const { bytes } = file;
    const [, contentName] = content.exec(target.name) ?? [];
    if (contentName !== undefined) {
      const stored = `${run.id} ${contentName}`;
      if (!finished.has(stored) && !(await finishContent(options, contentName, target, bytes)))
        return false;
      finished.set(stored, true);
      return true;
    }
    if (target.name === 'memory') return finishMemory(options, run, target, file);
    const whole = target.name === 'patch';
    const [patch, other] = [files.patchFile(run.id), files.incompletePatchFile(run.id)];
    const [wanted, unwanted] = whole ? [patch, other] : [other, patch];
    if (whole)
      await writeFile(files.basesFile(run.id), JSON.stringify(file.bases ?? []), { mode: 0o600 });
    if (!(await received.moveTo(target, bytes, wanted))) return false;
    await rm(unwanted, { force: true });
    return true;
  }

  return new Hono<{ Variables: WorkerVariables }>()
    .put('/files/:name', bodyLimit({ maxSize: maxChunkBytes }), async (context) => {
      const target = targetOf(context);
      const offset = Number(context.req.query('offset'));
      const chunk = Buffer.from(await context.req.arrayBuffer());
      const end = offset + chunk.length;
      if (!Number.isSafeInteger(offset) || offset < 0)
        throw new ApiProblem('invalid_request', 'offset: must be a number of bytes.');
      if (end > maxBytesOf(target.name) || !budget.allows(target, end))
        throw new ApiProblem('request_too_large', 'The file is larger than this run may send.');
      return context.json({ have: await received.write(target, offset, chunk) });
    })
    .post('/files/:name', async (context) => {
      const target = targetOf(context);
      maxBytesOf(target.name);
      const file = readBody(finishedFileSchema, await readJson(context.req.raw));
      if (target.name === 'output')
        return context.json({ missing: (await received.have(target)) < file.bytes });
      return context.json({ missing: !(await finish(context.get('run'), target, file)) });
    })
    .get('/files/:name', async (context) => {
      const run = context.get('run');
      const environment = environmentOf(run);
      const found =
        context.req.param('name') === 'memory'
          ? await findMemory(stores, files, run, environment)
          : await findEarlierChanges(stores, files, run);
      if (found?.file === undefined)
        throw new ApiProblem('resource_not_found', 'There is no such file.');
      const stream = Readable.toWeb(createReadStream(found.file)) as ReadableStream;
      return context.body(stream, 200, { 'content-type': 'application/octet-stream' });
    });
}

/**
 * Stores a received content. Returns false if some of its bytes are missing. The content belongs to its run once an
 * artifact names it. Contents without an artifact are deleted later.
 */
async function finishContent(
  { received, contents, files }: FileRoutesOptions,
  contentName: string,
  target: FileTarget,
  bytes: number,
): Promise<boolean> {
  const waiting = await received.whole(target, bytes);
  if (waiting === undefined) return false;
  const copy = join(files.artifactsDir, `new-${randomUUID()}`);
  await mkdir(files.artifactsDir, { recursive: true, mode: 0o700 });
  try {
    await copyFile(waiting, copy);
    // Check the hash of the copy, because nobody can change the copy meanwhile.
    if ((await hashOfFile(copy)) !== contentName) {
      await rm(waiting, { force: true });
      throw new ApiProblem('invalid_request', "The content doesn't have the hash of its name.");
    }
    await contents.put(contentName, copy, AbortSignal.timeout(storeMs));
  } finally {
    await rm(copy, { force: true });
  }
  // Delete the received file last, so that the sender repeats only this request if the store is down.
  await rm(waiting, { force: true });
  return true;
}

async function finishMemory(
  options: FileRoutesOptions,
  run: StoredRun,
  target: FileTarget,
  { bytes, file_key: key, session_id: sessionId }: FinishedFile,
): Promise<boolean> {
  const { stores, files, received } = options;
  const { conversations } = stores;
  const environment = options.environmentOf(run);
  const id = memoryId(run.conversation_id, environment.id);
  const before = await conversations.get(id);
  const workName = (await findMemory(stores, files, run, environment))?.kept.work_name ?? run.id;
  if (key === undefined) throw new ApiProblem('invalid_request', 'file_key: is missing.');
  if (before?.file_key === key) return true;
  const name = randomUUID();
  if (!(await received.moveTo(target, bytes, join(files.conversationsDir, name)))) return false;
  await conversations.save({
    id,
    environment_id: environment.id,
    work_name: workName,
    session_id: sessionId ?? null,
    file_name: name,
    file_key: key,
    saved_at: Date.now(),
  });
  if (before) await rm(join(files.conversationsDir, before.file_name), { force: true });
  return true;
}

/** Creates a budget for the number and size of an attempt's contents. It includes only what this process receives. */
function createBudget({ maxFiles, maxBytes }: { maxFiles: number; maxBytes: number }) {
  type Used = { ends: Map<string, number>; total: number };
  const attempts = new LRUCache<string, Used>({ max: 10_000 });
  return {
    allows({ runId, attempt, name }: FileTarget, end: number): boolean {
      if (!content.test(name)) return true;
      const key = `${runId} ${attempt}`;
      const used = attempts.get(key) ?? { ends: new Map<string, number>(), total: 0 };
      const before = used.ends.get(name);
      const total = used.total + Math.max(0, end - (before ?? 0));
      const isTooMany = before === undefined && used.ends.size >= maxFiles;
      if (isTooMany || total > maxBytes) return false;
      used.ends.set(name, Math.max(end, before ?? 0));
      attempts.set(key, { ...used, total });
      return true;
    },
  };
}
