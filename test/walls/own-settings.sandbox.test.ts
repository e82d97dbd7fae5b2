import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** A run of Codex whose home was left by an agent of an earlier run. The text is that of a file of the service. */
async function runWith(isolation: 'bubblewrap' | 'none') {
  const [CODEX_HOME, secrets, bin] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  writeFileSync(join(secrets, 'environments.yml'), 'key: hunter2-of-the-service\n');
  writeFileSync(join(secrets, 'hunter2-name'), '');
  symlinkSync(join(secrets, 'environments.yml'), join(CODEX_HOME, 'config.toml'));
  writeFileSync(join(CODEX_HOME, 'login'), '');
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\nls "$CODEX_HOME"\n', { mode: 0o755 });
  const service = await startRunsService({
    environments: [
      {
        ...shellEnvironment('true', { id: 'a', isolation, harness: 'codex', command: ['codex'] }),
        read_only: [bin],
        writable: [CODEX_HOME],
        variables: { CODEX_HOME },
      },
    ],
    path: `${bin}:/usr/bin:/bin`,
  });
  const id = await service.begin({ prompt: 'do it' });
  return service.until(id, 'SUCCEEDED', 'FAILED');
}

it('a link that an agent left in place of its settings shows no file of the service', async () => {
  const open = await runWith('none');
  expect(open.status_message?.message).toContain('hunter2');

  const walled = await runWith('bubblewrap');
  expect(JSON.stringify(walled)).not.toContain('hunter2');
  expect(walled.state).toBe('SUCCEEDED');
});
