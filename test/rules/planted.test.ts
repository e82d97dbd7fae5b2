import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe.each(['trials/planted', 'trials/simulate/planted'])('the patches in %s', (folder) => {
  it.each(readdirSync(folder))('%s still applies', (patch) => {
    const { status, stderr } = spawnSync('git', ['apply', '--check', `${folder}/${patch}`]);
    expect(`${stderr}`).toBe('');
    expect(status).toBe(0);
  });
});
