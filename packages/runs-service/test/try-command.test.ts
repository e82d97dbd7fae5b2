import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from 'base/explained-error';
import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEnvironments } from '../src/environments/read-environments.ts';
import { runTryCommand } from '../src/try-command.ts';
import { environmentExamples, exampleUrl } from './support/environment-examples.ts';
import { temporaryFolder } from './support/runs-service.ts';
import { script, writeEnvironments } from './try-command-bed.ts';

const examples = environmentExamples();

/** Runs `slash-agent try environments.yml …` without a process. */
async function tryOnce(
  file: string,
  words = ['Count them'],
  variables: Record<string, string> = {},
) {
  const { repository, folder, temporary } = writeEnvironments(file);
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said = { answer: '', notes: '' };
  const succeeded = await runTryCommand(['environments.yml', ...words], {
    variables: {
      PATH: process.env['PATH'],
      INIT_CWD: folder,
      RUNS_SERVICE_ALLOW_ROOT: 'true',
      ...variables,
    },
    signal: new AbortController().signal,
    print: (text) => {
      said.answer += `${text}\n`;
    },
    note: (line) => {
      said.notes += `${line}\n`;
    },
    logger: createLogger('silent'),
  });
  return { succeeded, repository, ...said, left: readdirSync(temporary) };
}

describe('the examples of docs/environments.md and docs/agent-commands.md', () => {
  it.each([
    ['claude', 'claude'],
    ['codex', 'codex'],
    ['gemini', 'gemini'],
    ['opencode', 'opencode'],
    ['script', undefined],
  ])('%s is a whole file', (title, harness) => {
    const file = join(temporaryFolder(), 'environments.yml');
    writeFileSync(file, examples.get(title) ?? '');
    const [environment, ...others] = readEnvironments(file);
    expect(others).toEqual([]);
    expect(environment?.harness).toBe(harness);
    expect(environment?.repositories).toEqual([{ url: exampleUrl }]);
    expect(environment?.network).toBeDefined();
    expect(environment).not.toHaveProperty('isolation');
  });

  it('are these five', () => {
    expect(examples.size).toBe(5);
  });
});

/** Shell command that makes a path longer than a program can open. */
const deep =
  'n=$(printf %0200d 0); i=0; while [ $i -lt 30 ]; do mkdir $n && cd -P $n || exit; i=$((i+1)); done; echo done';

/** Returns a `PATH` with a `find` that fails so many times. Deleting a folder needs `find`. */
function programsWhoseFindFails(times: number): string {
  const folder = temporaryFolder();
  const find = `#!/bin/sh\n[ -f "$0.calls" ] && [ $(wc -c < "$0.calls") -ge ${times} ] && exec /usr/bin/find "$@"\nprintf x >> "$0.calls"; exit 1\n`;
  writeFileSync(join(folder, 'find'), find, { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

describe('trying an environment', () => {
  it('fails with the reason of the run', async () => {
    const tried = await tryOnce(script('echo "No such bird" >&2; exit 3'));
    expect(tried).toMatchObject({ succeeded: false, answer: '', left: [] });
    expect(tried.notes).toContain('Failed: No such bird');
    expect(tried.notes).toContain('Agents run without a sandbox');
  });

  it("prints the agent's steps", async () => {
    const call =
      '{"sessionUpdate":"tool_call","toolCallId":"1","title":"git grep TODO","kind":"search"}';
    const { notes } = await tryOnce(script(`echo ''${call}''`));
    expect(notes).toContain('- search git grep TODO');
  });

  it("starts no run that can't work, and says why", async () => {
    const file = script('true').replace('[sh, ', '[no-such-agent, ');
    const tried = await tryOnce(file);
    expect(tried).toMatchObject({ succeeded: false, answer: '', left: [] });
    expect(tried.notes).toContain('can\'t start: "no-such-agent" isn\'t installed');
    expect(tried.notes.match(/isn't installed/g)).toHaveLength(1);
    expect(tried.notes).not.toContain('Checked out');
  });

  it('says what else the environment lacks, if the run fails for another reason', async () => {
    const file = script('exit 3', ', setup: [[sh, -c, exit 4], [no-such-tool]]');
    const tried = await tryOnce(file);
    expect(tried.notes.match(/isn't installed/g)).toHaveLength(1);
  });

  it('deletes what its agent wrote as a run does, even if that takes a second try', async () => {
    // One try to delete calls `find` three times.
    const PATH = programsWhoseFindFails(3);
    const tried = await tryOnce(script(deep), ['Go'], { PATH });
    expect(tried).toMatchObject({ succeeded: true, left: [] });
  });

  it('opens nothing that it cannot delete, and says where it is', async () => {
    const PATH = programsWhoseFindFails(1_000);
    const tried = await tryOnce(script('touch "$HOME/kept"'), ['Go'], { PATH });
    expect(tried).toMatchObject({ succeeded: true, left: [expect.any(String)] });
    expect(tried.notes).toContain(`Couldn't delete everything that the agent wrote. It's in `);
    expect(tried.notes).toContain(tried.left[0]);
  });

  it.skipIf(process.getuid?.() !== 0)('starts no run as root, and says what to do', async () => {
    const variables = { RUNS_SERVICE_ALLOW_ROOT: '' };
    const tried = await tryOnce(script('echo ran'), ['Go'], variables);
    expect(tried).toMatchObject({ succeeded: false, answer: '' });
    expect(tried.notes).toContain('Give the service a user, or set RUNS_SERVICE_ALLOW_ROOT=true');
  });

  it('takes a key from its variable, hides it, and publishes nothing', async () => {
    const more = ', secret_files: { K: none }, publish: { mode: branch, host: git }';
    const file = script('echo "key $K"; echo x >> a.js', more);
    const tried = await tryOnce(file, ['Go'], { K: 'sk-secret-of-the-test' });
    expect(tried).toMatchObject({ succeeded: true, left: [] });
    expect(tried.answer).toMatch(/^key \S+/);
    expect(tried.notes).toContain('Changed 1 file, +1 −0');
    expect(tried.notes + tried.answer).not.toContain('sk-secret');
    const branches = execFileSync('git', ['-C', tried.repository, 'branch', '--list']).toString();
    expect(branches.trim().split('\n')).toHaveLength(1);
    await expect(tryOnce(file, ['Go'])).rejects.toThrow(
      /^Set the variable K, or save its value in .*none\.$/,
    );
  });

  it('takes the key of a model provider from a variable, which no agent gets', async () => {
    const file = `${script('env').slice(0, -2)}, models: [my-own] }]\nmodels: { my-own: { api: openai, key_file: none } }`;
    await expect(tryOnce(file, ['Go'])).rejects.toThrow(
      /^Set the variable MY_OWN_API_KEY, or save its value in .*none\.$/,
    );
    const tried = await tryOnce(file, ['Go'], { MY_OWN_API_KEY: 'sk-secret-of-the-test' });
    expect(tried).toMatchObject({ succeeded: true, left: [] });
    expect(tried.notes + tried.answer).not.toContain('sk-secret');
  });

  it.each([
    ['no prompt', [], 'Usage:'],
    ['too many words', ['Count', 'them'], 'Usage:'],
    ['an unknown option', ['Go', '--fast'], '--fast'],
    ['an unknown environment', ['Go', '--environment', 'two'], '--environment <id>: one.'],
  ])('explains %s', async (_what, words, said) => {
    const mistake = await tryOnce(script('true'), words).catch((error: unknown) => error);
    expect(mistake).toBeInstanceOf(ExplainedError);
    expect(String(mistake)).toContain(said);
  });

  it('takes the one of several environments that is named', async () => {
    const one = (id: string) =>
      `{ id: ${id}, isolation: none, command: [echo, ${id}], repositories: [{ url: ${exampleUrl} }] }`;
    const file = `environments: [${one('cats')}, ${one('dogs')}]`;
    await expect(tryOnce(file)).rejects.toThrow(
      'Choose an environment with --environment <id>: cats, dogs.',
    );
    expect((await tryOnce(file, ['Go', '--environment', 'dogs'])).answer).toBe('dogs\n');
  });
});
