import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import { makePrivateFolder, restrictToOwner } from 'base/files/private-files';
import { z } from 'zod';

const recordSchema = z.object({ owner: z.string(), pid: z.number(), startedAt: z.string() });
type InstanceRecord = z.infer<typeof recordSchema>;

export type Instance = {
  /** Name of this process in the store. */
  owner: string;
  /** Name of the last process in this data folder, if it crashed. */
  crashedOwner?: string;
  release(): void;
};

/**
 * Makes this process the only one that uses the data folder, and restricts the folder to this user.
 * @throws ExplainedError if another live process uses it
 */
export function claimDataDir(dataDir: string): Instance {
  makePrivateFolder(dataDir);
  const file = join(dataDir, 'runs-service.json');
  const earlier = readRecord(file);
  if (earlier && earlier.pid !== process.pid && startOf(earlier.pid) === earlier.startedAt)
    throw new ExplainedError(
      `The data folder ${dataDir} is used by another runs service (process ${earlier.pid}). Stop that one, or set another DATA_DIR here.`,
    );
  const owner = randomUUID();
  const record: InstanceRecord = { owner, pid: process.pid, startedAt: startOf(process.pid) ?? '' };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
  closeDataDir(dataDir);
  return {
    owner,
    ...(earlier && { crashedOwner: earlier.owner }),
    release: () => rmSync(file, { force: true }),
  };
}

/**
 * Restricts the top-level folders to this user. Deeper files aren't changed, because other users can't reach them
 * anyway, and agents can have left links there.
 */
function closeDataDir(dataDir: string): void {
  restrictToOwner(dataDir, 1);
  const transcripts = join(dataDir, 'transcripts');
  if (existsSync(transcripts)) restrictToOwner(transcripts, 2);
}

function readRecord(file: string): InstanceRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Returns the system's start time of a process. It distinguishes processes with the same ID, because IDs are reused.
 * Returns undefined if there is no such process or it's a zombie. Zombies stay forever in a container without an init
 * process.
 */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : fields[18];
  } catch {
    return '';
  }
}
