import { createReadStream } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { removeEmpty } from '../../isolation/remove-empty.ts';
import { runTool } from '../../isolation/run-tool.ts';
import type { Wall } from '../../isolation/wall.ts';
import { addFolder } from '../files/add-folder.ts';
import { createSealedWriter, readSealed } from './sealed-file.ts';

/** `input` has the settings folders of some agents, who keep their sessions next to their settings. */
const folders = 'home input';
const hasSettings = ({ harness }: Pick<ServiceEnvironment, 'harness'>): boolean =>
  harness !== undefined && harness !== 'acp';

const skipped = ['.cache', '.npm', 'node_modules'].map((name) => `-name ${name}`).join(' -o ');

/** Arguments: the folder of the list, and the file that is older than everything to pack. Exits with 3 if that is nothing. */
const pack = `find ${folders} \\( ${skipped} \\) -prune -o \\( -type f -o -type l \\) -newer "$2" -print0 > "$1/list" &&
if [ ! -s "$1/list" ]; then exit 3; fi; exec tar --create --file=- --no-recursion --null --files-from="$1/list"`;

/**
 * Argument: the folder of a list. What this run already has in `input` stays: its prompt and its settings, of which the
 * agent can have changed the earlier ones. New times, so that these files are packed again.
 */
const unpack = `find input ! -type d > "$1/list" &&
exec tar --extract --touch --file=- --anchored --no-wildcards --exclude-from="$1/list"`;

const unpackTimeoutMs = 60_000;

export type HomeOptions = { wall: Wall; workDir: string; path: string; signal: AbortSignal };

/** A file that is older than what the agent writes from now on. */
export async function markTime(workDir: string): Promise<string> {
  const name = 'start';
  const folder = await addFolder(workDir, 'memory', (hidden) => writeFile(join(hidden, name), ''));
  return join(folder, name);
}

/**
 * Writes what the agent changed in its home to an encrypted file. Everything that touches the agent's files runs behind
 * the wall. Returns 'nothing' if it changed nothing, or why that failed.
 */
export async function packHome(
  { wall, workDir, path, signal }: HomeOptions,
  { environment, marker }: { environment: Pick<ServiceEnvironment, 'harness'>; marker: string },
  target: { file: string; key: string; limitBytes: number },
): Promise<'packed' | 'nothing' | { problem: string }> {
  if (!hasSettings(environment) && (await removeEmpty(join(workDir, 'home')))) return 'nothing';
  const list = await mkdtemp(join(workDir, 'memory-'));
  const writer = createSealedWriter(target.file, target.key, target.limitBytes);
  let said = '';
  const end = await wall.run({
    argv: ['sh', '-c', pack, 'sh', list, marker],
    cwd: workDir,
    variables: { PATH: path, LC_ALL: 'C' },
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') writer.push(chunk);
      else said = (said + chunk.toString()).slice(-300);
    },
    timeoutMs: unpackTimeoutMs,
    graceMs: 500,
    signal: AbortSignal.any([signal, writer.full]),
  });
  const isFull = writer.full.aborted;
  writer.close();
  if (isFull) return { problem: `it's larger than ${target.limitBytes / 1024 / 1024} MiB` };
  if (end.how === 'exited' && end.code === 3) return 'nothing';
  // Tar exits with 1 if a file changed while it was read.
  if (end.how === 'exited' && end.code <= 1) return 'packed';
  return { problem: said.trim() || end.how };
}

/**
 * Puts the files back.
 * @throws BrokenSeal before anything is written, if the file can't be read
 */
export async function unpackHome(
  { wall, workDir, path, signal }: HomeOptions,
  source: { file: string; key: string },
): Promise<{ problem: string } | undefined> {
  const read = () => readSealed(createReadStream(source.file), source.key);
  for await (const _ of read()) signal.throwIfAborted();
  const list = await mkdtemp(join(workDir, 'memory-'));
  const { code, words } = await runTool(wall.run, ['sh', '-c', unpack, 'sh', list], {
    cwd: workDir,
    variables: { PATH: path, LC_ALL: 'C' },
    timeoutMs: unpackTimeoutMs,
    signal,
    input: Readable.from(read()),
  });
  return code === 0 ? undefined : { problem: words };
}
