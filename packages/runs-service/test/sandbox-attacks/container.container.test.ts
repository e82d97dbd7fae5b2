import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs-service.ts';
import { startAttackBed } from './attack-bed.ts';
import { attacks, kernelSettings } from './attacks.ts';
import { callAttacks } from './call-attacks.ts';
import { compareSandbox } from './compare-sandbox.ts';

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
function containerIn(folder: string) {
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
    ],
    ...[['--workdir', '{folder}'], ['--env', '{variable}'], '--rootfs', rootfs],
  ];
}

describe('the podman sandbox', () => {
  it('stops every attack, each of which works without a sandbox', {
    timeout: 900_000,
  }, async () => {
    const container = containerIn(temporaryFolder());
    const bed = await startAttackBed([
      { id: 'open', isolation: 'none' },
      // Keep no conversation, because each container takes a second. The bubblewrap test keeps it.
      { id: 'sandboxed', isolation: 'container', container, conversation_days: 0 },
    ]);
    const all = [...attacks, ...callAttacks, ...(process.getuid?.() === 0 ? [kernelSettings] : [])];
    const promised = all.filter(({ isForBubblewrap }) => !isForBubblewrap);
    expect(promised.length).toBeGreaterThan(20);
    const rows = await compareSandbox('podman', bed, promised);
    expect(rows.filter(({ sandboxed }) => sandboxed)).toEqual([]);
    expect(rows.filter(({ open }) => !open)).toEqual([]);
  });
});
