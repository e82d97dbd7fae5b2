import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

export type ContainerImage = {
  /** Host paths by path in the container. They're read-only unless the container sets otherwise. */
  files: Record<string, string>;
  workDir: string;
  /** Command before the container's arguments, like an image's `ENTRYPOINT`. */
  entrypoint?: string[];
  /** Environment variables of the image. */
  variables?: Record<string, string>;
  /** User ID, unless the container sets one. 0 is root. */
  user?: number;
};

export type ContainerStart = {
  image: ContainerImage;
  args: string[];
  variables: Record<string, string>;
  mounts: { source: string; target: string; isReadOnly: boolean }[];
  isRootReadOnly: boolean;
  userId: number;
  groupId: number;
  logFile: string;
};

/** Runs a container as far as bubblewrap can: its own files, user and processes, and no capabilities. */
export class ContainerProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<{ exitCode: number }>;
  #innerPid: number | undefined;

  constructor(start: ContainerStart) {
    writeFileSync(start.logFile, '');
    const { image, mounts, userId, groupId } = start;
    const system = ['/usr', '/bin', '/lib', '/lib64', '/etc', dirname(dirname(process.execPath))];
    const files = [
      ...[...new Set(system)].map((path) => ['--ro-bind-try', path, path]),
      ...Object.entries(image.files).map(([target, source]) => ['--ro-bind', source, target]),
      ...mounts.map((each) => [each.isReadOnly ? '--ro-bind' : '--bind', each.source, each.target]),
    ].flat();
    const variables = { PATH: process.env['PATH'] ?? '', ...image.variables, ...start.variables };
    const args = [
      ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent'],
      ...['--new-session', '--cap-drop', 'ALL'],
      ...['--uid', String(userId), '--gid', String(groupId)],
      ...['--proc', '/proc', '--dev', '/dev', ...files],
      ...(start.isRootReadOnly ? ['--remount-ro', '/'] : []),
      ...['--clearenv', '--info-fd', '3', '--chdir', image.workDir],
      ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--', ...(image.entrypoint ?? []), ...start.args],
    ];
    this.#child = spawn('bwrap', args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: {} });
    const log = (chunk: Buffer) => appendFileSync(start.logFile, chunk);
    this.#child.stdout?.on('data', log);
    this.#child.stderr?.on('data', log);
    let info = '';
    (this.#child.stdio[3] as Readable).on('data', (chunk: Buffer) => {
      info += chunk.toString();
      const pid = /"child-pid": (\d+)/.exec(info)?.[1];
      if (pid !== undefined) this.#innerPid = Number(pid);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) =>
        resolve({ exitCode: code ?? (signal === 'SIGKILL' ? 137 : 143) }),
      );
    });
  }

  /** Sends SIGTERM to the children of the first process. Like tini in our image, that process only reaps. */
  terminate(): void {
    const init = this.#innerPid;
    if (init === undefined || this.#child.exitCode !== null) return;
    try {
      const children = readFileSync(`/proc/${init}/task/${init}/children`, 'utf8').trim();
      for (const pid of children.split(' ').filter((each) => each !== ''))
        process.kill(Number(pid), 'SIGTERM');
    } catch (error) {
      // The process has ended already.
      if (!['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
