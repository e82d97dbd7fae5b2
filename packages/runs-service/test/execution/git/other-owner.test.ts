import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMirrors } from '../../../src/execution/git/mirrors.ts';
import { whyUnreachable } from '../../../src/execution/git/reach-repository.ts';

import { createRepository, temporaryFolder } from '../../support/runs-service.ts';

/** Returns a PATH on which git treats every repository as another user's, as git's own tests do. */
function pathAmongStrangers(): string {
  const folder = temporaryFolder();
  const path = process.env['PATH'] ?? '';
  const variable = 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1';
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nPATH='${path}' ${variable} exec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}:${path}`;
}

describe("a repository in another user's folder", () => {
  it.each(['', 'file://'])('is reached, cloned and fetched (%s)', async (scheme) => {
    const path = pathAmongStrangers();
    const url = `${scheme}${createRepository({ 'a.txt': 'one' })}`;
    expect(await whyUnreachable(url, { path, cwd: temporaryFolder() })).toBeUndefined();
    const mirrors = createMirrors({ mirrorsDir: temporaryFolder(), path });
    const { signal } = new AbortController();
    for (const run of ['clones', 'fetches'])
      expect(existsSync(await mirrors.refresh(url, signal, run))).toBe(true);
  });
});
