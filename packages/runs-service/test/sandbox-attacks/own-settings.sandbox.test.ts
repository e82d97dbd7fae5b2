import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** Runs Codex with a home that an agent of an earlier run could write to. */
async function runWith(CODEX_HOME: string, more: object) {
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'codex'), '#!/bin/sh\nls "$CODEX_HOME"\n', { mode: 0o755 });
  const environment = shellEnvironment('true', { id: 'a', harness: 'codex', command: ['codex'] });
  const service = await startRunsService({
    environments: [{ ...environment, read_only: [bin], variables: { CODEX_HOME }, ...more }],
    path: `${bin}:/usr/bin:/bin`,
  });
  const id = await service.begin({ prompt: 'do it' });
  return service.until(id, 'SUCCEEDED', 'FAILED');
}

it('settings that the sandbox hides fail the run, because its agent would go without them', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'config.toml'), 'model = "own"\n');
  const { status_message: end } = await runWith(home, { isolation: 'bubblewrap' });
  expect(end?.message).toContain(`Can't read the settings in ${home}/config.toml.`);
  expect(end?.message).toContain('bubblewrap hides it');
});

it('settings in a folder that an agent closed fail the run', async () => {
  const home = temporaryFolder();
  onTestFinished(() => chmodSync(home, 0o700));
  chmodSync(home, 0);
  const { status_message: end } = await runWith(home, {
    isolation: 'bubblewrap',
    writable: [home],
  });
  expect(end?.message).toContain(`Can't read the settings in ${home}`);
});
