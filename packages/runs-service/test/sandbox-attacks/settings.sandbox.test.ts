import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

const secret = 'SLACK_BOT_TOKEN=hunter2-of-the-service\n';

/** Starts a service whose agents can write to the folder with Codex's settings, as they do to renew its sign-in. */
async function startWithSettings(isolation: 'bubblewrap' | 'none') {
  const [bin, home, data] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  writeFileSync(
    join(bin, 'codex'),
    '#!/bin/sh\nls "$CODEX_HOME"; cat "$CODEX_HOME/config.toml"\n',
    { mode: 0o755 },
  );
  writeFileSync(join(data, 'env'), secret);
  const codexHome = join(home, 'codex');
  mkdirSync(codexHome);
  const service = await startRunsService({
    environments: [
      shellEnvironment('true', {
        isolation,
        harness: 'codex',
        command: ['codex'],
        read_only: [bin],
        writable: [home],
        variables: { CODEX_HOME: codexHome },
      }),
    ],
    path: `${bin}:/usr/bin:/bin`,
  });
  return {
    codexHome,
    file: join(codexHome, 'config.toml'),
    data,
    async run() {
      const id = await service.begin({ prompt: 'go' });
      const ended = await service.until(id, 'SUCCEEDED', 'FAILED');
      const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
      return `${ended.state} ${ended.status_message?.message ?? ''}\n${output}`;
    },
  };
}

describe('settings that an agent can replace', () => {
  it('are read in the sandbox, so a link shows no file of the service', async () => {
    for (const isolation of ['none', 'bubblewrap'] as const) {
      const { file, data, run } = await startWithSettings(isolation);
      symlinkSync(join(data, 'env'), file);
      const shown = await run();
      // Without a sandbox, agents can read the file anyway.
      expect(shown.includes('hunter2'), shown).toBe(isolation === 'none');
    }
  });

  it("name no files of the service's folders", async () => {
    const { codexHome, data, run } = await startWithSettings('bubblewrap');
    rmSync(codexHome, { recursive: true });
    symlinkSync(data, codexHome);
    const shown = await run();
    expect(shown).toMatch(/^SUCCEEDED/);
    expect(shown).toContain('config.toml');
    expect(shown).not.toMatch(/^env$/m);
  });

  it('still apply, and a pipe in their place stops nothing', async () => {
    const { file, run } = await startWithSettings('bubblewrap');
    writeFileSync(file, 'model = "large"\n');
    expect(await run()).toContain('model = "large"');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(await run()).toMatch(/^FAILED .*it isn't a file/);
  });
});
