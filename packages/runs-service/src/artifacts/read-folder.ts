import type { RunFolder } from '../execution/files/run-folder.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ContentWriter } from './content-writer.ts';

/** Name of the folder for an agent's files, inside the work folder. */
export const artifactsFolder = 'artifacts';

/**
 * Script that lists regular files: those larger than its argument, an empty record, then the others. Doesn't follow
 * links.
 */
const list = `find ${artifactsFolder} -type f -size +"$1"c -print0
printf '\\0'
find ${artifactsFolder} -type f ! -size +"$1"c -print0`;

/** Max size of the list in bytes, enough for about 10,000 files. */
const maxListBytes = 1024 * 1024;

type FolderOptions = {
  sandbox: Sandbox;
  folder: Pick<RunFolder, 'inside' | 'removeIfEmpty'>;
  path: string;
  signal: AbortSignal;
};

type FolderList = {
  /** Sorted paths, which start with the folder's name. */
  paths: string[];
  tooLarge: string[];
  /** True if there are more files than were listed. */
  isCut: boolean;
};

/** Lists the files that an agent left. Leaves out files with names that aren't UTF-8. */
export async function listFolder(
  { sandbox, folder, path, signal }: FolderOptions,
  maxFileBytes: number,
): Promise<FolderList> {
  if (await folder.removeIfEmpty(artifactsFolder)) return { paths: [], tooLarge: [], isCut: false };
  const full = new AbortController();
  const chunks: Buffer[] = [];
  let bytes = 0;
  await sandbox.run({
    argv: ['sh', '-c', list, 'sh', String(maxFileBytes)],
    cwd: folder.inside,
    variables: { PATH: path, LC_ALL: 'C' },
    onOutput: (chunk, stream) => {
      if (stream !== 'stdout' || full.signal.aborted) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxListBytes) full.abort();
    },
    timeoutMs: 60_000,
    graceMs: 500,
    signal: AbortSignal.any([signal, full.signal]),
  });
  const records = Buffer.concat(chunks).toString('latin1').split('\0').slice(0, -1);
  const middle = records.indexOf('');
  const [large, others] =
    middle < 0 ? [records, []] : [records.slice(0, middle), records.slice(middle + 1)];
  return {
    paths: others.flatMap(decode).sort(),
    tooLarge: large.flatMap(decode),
    isCut: full.signal.aborted,
  };
}

function decode(latin1: string): string[] {
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return Buffer.from(text).toString('latin1') === latin1 ? [text] : [];
}

/**
 * Script that prints the files in its arguments. For each file, prints a line with the size, then the content. If the
 * file can't be read, prints only the line `-`.
 */
const read = `for file; do
  if size=$(wc -c < "$file"); then printf '%d\\n' $size; head -c "$size" "$file" || exit 1
  else echo -; fi
done`;

export type ReadFile = { path: string; writer: ContentWriter };

export type LeftOut = { path: string; why: string };

/** Reads files with one command in the sandbox. */
export async function readFolder(
  { sandbox, folder, path, signal }: FolderOptions,
  paths: readonly string[],
  { openWriter, totalBytes }: { openWriter: () => ContentWriter; totalBytes: number },
): Promise<{ files: ReadFile[]; leftOut: LeftOut[] }> {
  const full = new AbortController();
  const files: ReadFile[] = [];
  const leftOut: LeftOut[] = [];
  const leaveOut = (why: string, ...all: string[]) =>
    leftOut.push(...all.map((each) => ({ path: each, why })));
  let header = '';
  let index = 0;
  let room = totalBytes;
  let open: { writer: ContentWriter; left: number } | undefined;
  let failure: { error: unknown } | undefined;

  function begin(): void {
    const name = paths[index] ?? '';
    const left = header === '-' ? 0 : Number(header);
    room -= left;
    if (Number.isNaN(left) || room < 0) {
      full.abort();
      return;
    }
    if (header === '-') leaveOut(notReadable, name);
    else {
      open = { writer: openWriter(), left };
      files.push({ path: name, writer: open.writer });
    }
    header = '';
    index += 1;
    endIfWhole();
  }

  function endIfWhole(): void {
    if (open?.left !== 0) return;
    const { writer } = open;
    open = undefined;
    writer.close();
  }

  function take(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0 && !full.signal.aborted; ) {
      if (open) {
        const part = rest.subarray(0, open.left);
        open.writer.push(part);
        open.left -= part.length;
        rest = rest.subarray(part.length);
        endIfWhole();
        continue;
      }
      const end = rest.indexOf(0x0a);
      header += rest.subarray(0, end < 0 ? rest.length : end).toString('latin1');
      rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1);
      if (end >= 0) begin();
    }
  }

  await sandbox.run({
    argv: ['sh', '-c', read, 'sh', ...paths],
    cwd: folder.inside,
    variables: { PATH: path, LC_ALL: 'C' },
    onOutput: (chunk, stream) => {
      // Keep the error for later, because an exception in a stream's listener would end the process.
      try {
        if (stream === 'stdout') take(chunk);
      } catch (error) {
        failure = { error };
        full.abort();
      }
    },
    timeoutMs: 60_000,
    graceMs: 500,
    signal: AbortSignal.any([signal, full.signal]),
  });
  const isOver = room < 0;
  if (open && !failure) {
    // Drop the last file, which is incomplete because the command was stopped.
    open.writer.close();
    await open.writer.discard();
    leaveOut(notReadable, ...files.splice(-1).map((cut) => cut.path));
  }
  if (failure) {
    for (const { writer } of files) await writer.discard();
    throw failure.error;
  }
  leaveOut(isOver ? tooManyBytes : notReadable, ...paths.slice(index));
  return { files, leftOut };
}

const notReadable = "couldn't be read";
const tooManyBytes = 'too large together';
