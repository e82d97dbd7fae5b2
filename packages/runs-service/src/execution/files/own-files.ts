import { existsSync } from 'node:fs';
import { isolationOf } from '../../environments/environments.ts';
import { type OwnFiles, unreadable } from '../../harnesses/own-settings.ts';
import { isShown } from '../../sandbox/shown-paths.ts';
import type { Machine, NewRun } from '../run-context.ts';

/**
 * Shell script that prints a file. Exits with 3 if the file doesn't exist, and with 1 if its folder can't be searched.
 */
const readScript = `[ -e "$1" ] || { [ ! -e "\${1%/*}" ] || [ -x "\${1%/*}" ] || { echo "its folder is closed"; exit 1; } >&2; exit 3; }
[ -f "$1" ] || { echo "it isn't a file" >&2; exit 1; }
exec head -c "$2" -- "$1"`;

/** Shell script that prints the names in a folder. */
const listScript = '[ ! -d "$1" ] || exec find "$1/" -mindepth 1 -maxdepth 1 -print0';

const maxFileBytes = 4 * 1024 * 1024;
const maxNamesBytes = 64 * 1024;
const timeoutMs = 30_000;

/**
 * Creates functions that read the operator's settings. They run system programs in the agent's sandbox, so that links
 * lead only to files that the agent can read anyway. The sandbox has an empty folder, because the service is still
 * writing to the run's folder.
 */
export function createOwnFiles({ sandboxes, path }: Machine, context: NewRun): OwnFiles {
  const { environment, run, folder, signal } = context;
  const isNew = (name: string) => name === folder.inside || name.startsWith(`${folder.inside}/`);

  async function print(script: string, name: string, limitBytes: number) {
    const printing = sandboxes.inEmptyFolder(environment, run.id, async (sandbox, cwd) => {
      let printed = Buffer.alloc(0);
      let errorOutput = '';
      const end = await sandbox.run({
        argv: ['sh', '-c', script, 'sh', name, String(limitBytes + 1)],
        cwd,
        variables: { PATH: path, LC_ALL: 'C' },
        onOutput(chunk, stream) {
          if (stream === 'stderr') errorOutput = (errorOutput + chunk.toString()).slice(-300);
          else if (printed.length <= limitBytes) printed = Buffer.concat([printed, chunk]);
        },
        timeoutMs,
        graceMs: 500,
        signal,
      });
      if (end.how === 'exited' && end.code === 3) return undefined;
      if (end.how !== 'exited' || end.code !== 0) throw new Error(errorOutput.trim() || end.how);
      if (printed.length > limitBytes) throw new Error(`it's larger than ${limitBytes} bytes`);
      return printed.toString();
    });
    return printing.catch((error: unknown) => {
      throw unreadable(name, error);
    });
  }

  return {
    async read(file) {
      if (isNew(file)) return undefined;
      const isHidden = isolationOf(environment) === 'bubblewrap' && !isShown(file, environment);
      if (!isHidden) return print(readScript, file, maxFileBytes);
      if (!existsSync(file)) return undefined;
      const why = "bubblewrap hides it. Add its folder to the environment's read_only";
      throw unreadable(file, new Error(why));
    },
    async list(of) {
      if (isNew(of)) return [];
      const printed = (await print(listScript, of, maxNamesBytes)) ?? '';
      return printed.split('\0').flatMap((each) => each.split('/').at(-1) || []);
    },
  };
}
