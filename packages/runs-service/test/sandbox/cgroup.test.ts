import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCgroups, openCgroup } from '../../src/sandbox/command-limits.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/**
 * Creates folders that look like the kernel's cgroups. `rmdir` fails on them, because files of controllers are real
 * files here.
 */
function tree(...folders: string[]): string {
  const root = temporaryFolder();
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

describe('the cgroups that a service may write', () => {
  it('are below the unit that systemd gave it, and limit a run together', () => {
    const unit = 'system.slice/agents.service';
    const root = tree(`${unit}/main`);
    // Nothing is found, because a real folder with files can't be removed after the check.
    expect(findCgroups({ own: `0::/${unit}/main`, root })).toBeUndefined();
    expect(readFileSync(join(root, unit, 'cgroup.subtree_control'), 'utf8')).toBe(
      '+memory +pids +cpu',
    );
    const cgroups = {
      folder: join(root, unit),
      limits: ['memory_mb', 'processes', 'cpus'],
    } as const;
    const { enter } = openCgroup(cgroups, { memory_mb: 100, processes: 20, disk_mb: 5 });
    const group = enter.at(-1) ?? '';
    const files = readdirSync(group).map((name) => [name, readFileSync(join(group, name), 'utf8')]);
    expect(Object.fromEntries(files)).toEqual({ 'memory.max': '104857600', 'pids.max': '20' });
  });

  it('are none where it may not write, or there are none', () => {
    const root = tree('system.slice/agents.service');
    writeFileSync(join(root, 'system.slice/agents.service/cgroup.subtree_control'), '');
    mkdirSync(join(root, 'docker/cgroup.subtree_control'), { recursive: true });
    expect(findCgroups({ own: '0::/docker', root })).toBeUndefined();
    expect(findCgroups({ own: '0::/gone', root })).toBeUndefined();
    expect(findCgroups({ own: '', root })).toBeUndefined();
  });
});
