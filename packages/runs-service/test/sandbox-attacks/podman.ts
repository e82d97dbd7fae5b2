import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Hide the cgroups from podman, whose runtime fails with the mixed cgroups of some machines, even if it should use
 * none.
 */
const program = `#!/bin/sh
if [ -d /sys/fs/cgroup/unified ] && [ "$(id -u)" = 0 ]; then
  exec unshare --mount sh -c 'umount -l /sys/fs/cgroup/unified; exec podman --cgroup-manager cgroupfs "$@"' podman "$@"
fi
exec podman --cgroup-manager cgroupfs "$@"
`;

/** Returns options for a container without an image that has the system's programs, so that nothing is downloaded. */
export function containerIn(folder: string) {
  const file = join(folder, 'podman-without-cgroups');
  writeFileSync(file, program, { mode: 0o755 });
  const rootfs = join(folder, 'rootfs');
  const folders = ['usr', 'bin', 'lib', 'lib64', 'etc', 'tmp', 'proc', 'dev', 'sys', 'run'];
  for (const name of folders) mkdirSync(join(rootfs, name), { recursive: true });
  const programs = ['/usr', '/bin', '/lib', '/lib64'].filter((path) => existsSync(path));
  const limits = ['--ulimit=nofile=10000:10000', '--ulimit=nproc=9000:9000'];
  return [
    ...[file, 'run', '--rm', '--interactive', ['--name', '{container_name}']],
    ...['--cgroups=disabled', '--network=none', '--read-only', '--tmpfs=/tmp', ...limits],
    ...programs.map((path) => `--volume=${path}:${path}:ro`),
    ...[
      ['--volume', '{work_dir}:{work_dir}'],
      ['--volume', '{read_only}:{read_only}:ro'],
      ['--volume', '{models_folder}:/run/slash-agent/models'],
    ],
    ...[['--workdir', '{folder}'], ['--env', '{variable}'], '--rootfs', rootfs],
  ];
}
