import type { RunFolder } from '../execution/files/run-folder.ts';
import type { Wall } from '../sandbox/wall.ts';

/** Below the work folder. */
export const artifactsFolder = 'artifacts';

/** Regular files that are larger than the argument, an empty record, and the others. Links aren't followed. */
const list = `find ${artifactsFolder} -type f -size +"$1"c -print0
printf '\\0'
find ${artifactsFolder} -type f ! -size +"$1"c -print0`;

/** About 10,000 files. */
const maxListBytes = 1024 * 1024;

export type FolderOptions = {
  wall: Wall;
  folder: Pick<RunFolder, 'inside' | 'removeIfEmpty'>;
  path: string;
  signal: AbortSignal;
};

type FolderList = {
  /** In the order of their names, which start with the folder. */
  paths: string[];
  tooLarge: string[];
  /** Whether there are more files than were listed. */
  isCut: boolean;
};

/** The files that an agent left. Names that aren't UTF-8 are left out. */
export async function listFolder(
  { wall, folder, path, signal }: FolderOptions,
  maxFileBytes: number,
): Promise<FolderList> {
  if (await folder.removeIfEmpty(artifactsFolder)) return { paths: [], tooLarge: [], isCut: false };
  const full = new AbortController();
  const chunks: Buffer[] = [];
  let bytes = 0;
  await wall.run({
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
