import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** Returns a PATH with an `rm` that can't delete folders of runs, as with hundreds of thousands of levels. */
function programsThatDeleteNothing(): string {
  const folder = temporaryFolder();
  const rm =
    '#!/bin/sh\ncase "$3" in kept-*|./kept-*) exec /bin/rm "$@";; esac\necho "rm: fts_read failed" >&2; exit 1\n';
  writeFileSync(join(folder, 'rm'), rm, { mode: 0o755 });
  return folder;
}

/** Shell script that creates a link in place of each file that the service writes for a later run. */
const plant = (target: string) =>
  `mkdir -p "$HOME/.agent" && touch "$HOME/.agent/session" && cd ../.. && /bin/rm -rf repo &&
  for name in input/prompt.txt input/base-prompt.txt input/mcp-servers.json conversation attachments; do
    /bin/rm -rf "$name"; ln -s ${target} "$name"; done; echo planted`;

it('a next run writes to no file of the service through links of an earlier agent, whose folder cannot be deleted', async () => {
  const bin = programsThatDeleteNothing();
  const service = await startRunsService({
    environments: [
      shellEnvironment('true', {
        id: 'sandboxed',
        isolation: 'bubblewrap',
        command: ['sh'],
        keep: ['.agent'],
        read_only: [bin],
      }),
      shellEnvironment('true', { id: 'open', isolation: 'none', command: ['sh'] }),
    ],
    path: `${bin}:/usr/bin:/bin`,
  });
  const run = async (environment: string, prompt: string, conversation_id?: string | null) => {
    const config = { environment_id: environment, base_prompt: prompt };
    const more = conversation_id ? { conversation_id } : {};
    const id = await service.begin({ prompt, config, ...more });
    const ended = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(ended.state, ended.status_message?.message).toBe('SUCCEEDED');
    const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
    return { ...ended, output };
  };
  const secrets = temporaryFolder();
  mkdirSync(secrets, { recursive: true });
  const target = (name: string) => {
    writeFileSync(join(secrets, name), 'of the service');
    return join(secrets, name);
  };
  const [control, sandboxed] = [target('control'), target('environments.yml')];
  await run('open', `${plant(control)}; echo pwned > input/prompt.txt`);
  expect(readFileSync(control, 'utf8')).toBe('pwned\n');

  const first = await run('sandboxed', plant(sandboxed));
  expect(first.output).toContain('planted');
  for (const answer of ['one', 'two']) {
    const next = await run('sandboxed', `echo ${answer}; ls "$HOME/.agent"`, first.conversation_id);
    expect(readFileSync(sandboxed, 'utf8')).toBe('of the service');
    expect(next.output).toBe(`${answer}\nsession\n`);
  }
  expect(readdirSync(join(service.dataDir, 'work'))).toEqual([]);
  await expect.poll(() => readdirSync(join(service.dataDir, 'quarantine'))).toHaveLength(4);
});
