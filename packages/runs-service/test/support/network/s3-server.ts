import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startProgram } from '../../../../base/test/support/program.ts';
import type { ArtifactsBucket } from '../../../src/config/artifacts-url.ts';
import { temporaryFolder } from '../runs-service.ts';

const program = createRequire(import.meta.url).resolve('s3rver/bin/s3rver.js');

export type S3Server = {
  place: ArtifactsBucket;
  /** Returns the keys of all objects. `content` reads one. */
  keys(): string[];
  content(key: string): Buffer;
  stop(): Promise<void>;
};

/** Starts a published S3 server as a process. It checks the key's ID, but no signatures (version 4). */
export async function startS3Server(given: { folder?: string; port?: number } = {}) {
  const folder = given.folder ?? temporaryFolder();
  const options = ['--directory', folder, '--port', String(given.port ?? 0), '--silent'];
  const child = startProgram(program, {}, ...options, '--configure-bucket', 'files');
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  let port = 0;
  for await (const line of lines) {
    port = Number(/listening on \S+:(\d+)/.exec(line)?.[1] ?? 0);
    if (port > 0) break;
  }
  const server: S3Server = {
    place: {
      bucket: 'files',
      prefix: 'of/runs/',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    keys: () =>
      readdirSync(join(folder, 'files'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.slice(0, -'._S3rver_object'.length)),
    content: (key) => readFileSync(join(folder, 'files', `${key}._S3rver_object`)),
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  return { ...server, folder, port };
}
