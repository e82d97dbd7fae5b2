import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { SessionFiles } from '../../harnesses/agent-sessions.ts';
import { runTool } from '../../sandbox/run-tool.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { createSealedWriter, readSealed } from './sealed-file.ts';

/**
 * Shell functions that list, archive and detect session files. Their arguments are pairs of a folder and a pattern.
 * They use regular files only.
 */
const listFunctions = `list() { while [ $# -gt 0 ]; do find "$1" -type f -path "$2" -print0; shift 2; done 2>/dev/null; }
pack() { list "$@" | tar --create --file=- --no-recursion --null --files-from=-; }
has() { [ -n "$(list "$@" | head -c 1)" ]; }`;

const archiveScript = `${listFunctions}
has "$@" || exit 3
pack "$@"`;

/**
 * Shell script that restores an archive of session files. Skips files that wouldn't be archived now, because earlier
 * versions archived more. Doesn't overwrite files, because the agent could have replaced the archived ones.
 */
const restoreScript = `${listFunctions}
kept=$(mktemp -d ./kept-XXXXXXXX) && tar --extract --no-same-owner --file=- --directory="$kept" && cd "$kept" &&
find . ! -type d ! -type f -delete || exit
if has "$@"; then pack "$@" | tar --extract --skip-old-files --file=- --directory=.. || exit; fi
cd .. && rm -rf -- "$kept"`;

const timeoutMs = 60_000;

export type AgentHomeOptions = {
  sandbox: Sandbox;
  workDir: string;
  path: string;
  signal: AbortSignal;
};

const argumentsOf = (files: readonly SessionFiles[]) =>
  files.flatMap(({ folder, pattern }) => [folder, pattern]);

/**
 * Writes the agent's session files to an encrypted file. Everything that touches the agent's files runs in the
 * sandbox. Returns 'nothing' if there are no session files, or the reason of a failure.
 */
export async function archiveAgentHome(
  { sandbox, workDir, path, signal }: AgentHomeOptions,
  files: readonly SessionFiles[],
  target: { file: string; key: string; limitBytes: number },
): Promise<'archived' | 'nothing' | { problem: string }> {
  if (files.length === 0) return 'nothing';
  const writer = createSealedWriter(target.file, target.key, target.limitBytes);
  let errorOutput = '';
  const end = await sandbox.run({
    argv: ['sh', '-c', archiveScript, 'sh', ...argumentsOf(files)],
    cwd: workDir,
    variables: { PATH: path, LC_ALL: 'C' },
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') writer.push(chunk);
      else errorOutput = (errorOutput + chunk.toString()).slice(-300);
    },
    timeoutMs: timeoutMs,
    graceMs: 500,
    signal: AbortSignal.any([signal, writer.full]),
  });
  const isFull = writer.full.aborted;
  writer.close();
  if (isFull) return { problem: `it's larger than ${target.limitBytes / 1024 / 1024} MiB` };
  if (end.how === 'exited' && end.code === 3) return 'nothing';
  // Accept exit code 1, because tar uses it if a file changed while it was read.
  if (end.how === 'exited' && end.code <= 1) return 'archived';
  return { problem: errorOutput.trim() || end.how };
}

/**
 * Restores the agent's session files from an archive.
 * @throws BrokenSealError before any file is restored, if the archive can't be decrypted
 */
export async function restoreAgentHome(
  { sandbox, workDir, path, signal }: AgentHomeOptions,
  files: readonly SessionFiles[],
  source: { file: string; key: string },
): Promise<{ problem: string } | undefined> {
  const read = () => readSealed(createReadStream(source.file), source.key);
  for await (const _ of read()) signal.throwIfAborted();
  const argv = ['sh', '-c', restoreScript, 'sh', ...argumentsOf(files)];
  const { code, output } = await runTool(sandbox.run, argv, {
    cwd: workDir,
    variables: { PATH: path, LC_ALL: 'C' },
    timeoutMs: timeoutMs,
    signal,
    input: Readable.from(read()),
  });
  return code === 0 ? undefined : { problem: output };
}
