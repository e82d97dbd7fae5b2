import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readEnvironments } from '../../src/runs-service/environments/read-environments.ts';
import { whyNoBubblewrap } from '../support/bubblewrap.ts';
import { bundle } from '../support/bundle.ts';
import { environmentExamples, exampleUrl } from '../support/environment-examples.ts';
import { startProgram, untilExit } from '../support/program.ts';
import { createRepository, temporaryFolder } from '../support/runs-service.ts';

const wall = whyNoBubblewrap();
const examples = environmentExamples();
const shellScript = examples.get('A shell script') ?? '';
/** Without a wall, so that these tests run everywhere. */
const script = (line: string, more = '') =>
  `environments: [{ id: one, isolation: none, repositories: [{ url: ${exampleUrl} }], command: [sh, -c, '${line}']${more} }]`;

/** `npm run runs-service -- try environments.yml …` in a folder with nothing but this file. */
function start(file: string, words: string[] = ['Count them'], variables = {}) {
  const repository = createRepository({ 'a.js': '// TODO one\n', 'b.js': '// TODO two\nlet b;\n' });
  const [folder, temporary] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(folder, 'environments.yml'), file.replaceAll(exampleUrl, repository));
  const environment = { INIT_CWD: folder, TMPDIR: temporary, ...variables };
  const program = bundle('src/serve-runs.ts');
  const child = startProgram(program, environment, 'try', 'environments.yml', ...words);
  const printed = child.stdout ? text(child.stdout) : '';
  const end = async () => {
    const { code, output } = await untilExit(child);
    return { code, output, answer: await printed, left: readdirSync(temporary) };
  };
  return { child, repository, temporary, end };
}
const tryOnce = (...given: Parameters<typeof start>) => start(...given).end();

describe('the examples of docs/environments.md', () => {
  it.each([
    ['Claude Code', 'claude'],
    ['Codex', 'codex'],
    ['Gemini CLI', 'gemini'],
    ['OpenCode', 'opencode'],
    ['A shell script', undefined],
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

  it.skipIf(wall)(`lead from one file to an answer (${wall ?? 'behind bubblewrap'})`, async () => {
    const { code, output, answer, left } = await tryOnce(shellScript);
    expect(answer).toBe('TODO comments: 2. You asked: Count them\n');
    expect(output).toContain('- search git grep TODO');
    expect(code).toBe(0);
    expect(left).toEqual([]);
  });
});

describe('trying an environment', () => {
  it('fails with the reason of the run', async () => {
    const { code, output, answer } = await tryOnce(script('echo "No such bird" >&2; exit 3'));
    expect(answer).toBe('');
    expect(output).toContain('Failed: No such bird');
    expect(output).toContain('Agents run without a wall');
    expect(code).toBe(1);
  });

  it('takes a key from its variable, and hides it', async () => {
    const file = script('echo "key $K"; echo x >> a.js', ', secret_files: { K: none }');
    const { answer, output, left } = await tryOnce(file, ['Go'], { K: 'sk-secret-of-the-test' });
    expect(answer).toMatch(/^key \S+/);
    expect(output).toContain('Changed 1 file, +1 −0');
    expect(output + answer).not.toContain('sk-secret');
    expect(left).toEqual([]);
    const without = await tryOnce(file, ['Go']);
    expect(without.output).toMatch(/^Set the variable K, or save its value in .*none\.\n$/);
    expect(without.code).toBe(1);
  });

  it('publishes nothing', async () => {
    const file = script('echo x >> a.js', ', publish: { mode: branch, host: git }');
    const { repository, end } = start(file);
    expect((await end()).code).toBe(0);
    const branches = execFileSync('git', ['-C', repository, 'branch', '--list'], {
      encoding: 'utf8',
    });
    expect(branches.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['no prompt', [], 'Usage:'],
    ['too many words', ['Count', 'them'], 'Usage:'],
    ['an unknown option', ['Go', '--fast'], '--fast'],
    ['an unknown environment', ['Go', '--environment', 'two'], '--environment <id>: one.'],
  ])('explains %s', async (_what, words, said) => {
    const { code, output } = await tryOnce(script('true'), words);
    expect(output).toContain(said);
    expect(output).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('takes the one of several environments that is named', async () => {
    const one = (id: string) =>
      `{ id: ${id}, isolation: none, command: [echo, ${id}], repositories: [{ url: ${exampleUrl} }] }`;
    const file = `environments: [${one('cats')}, ${one('dogs')}]`;
    expect((await tryOnce(file)).output).toBe(
      'Choose an environment with --environment <id>: cats, dogs.\n',
    );
    expect((await tryOnce(file, ['Go', '--environment', 'dogs'])).answer).toBe('dogs\n');
  });

  it('explains mistakes in the file', async () => {
    const { code, output } = await tryOnce('environments: []');
    expect(output).toContain('environments.yml has mistakes');
    expect(code).toBe(1);
  });

  it('ends with Ctrl-C, and leaves nothing behind', async () => {
    const { child, temporary, end } = start(script('echo started > "$HOME/../up"; sleep 600'));
    const isUp = () =>
      readdirSync(temporary, { recursive: true, encoding: 'utf8' }).some((each) =>
        each.endsWith('/up'),
      );
    await expect.poll(isUp).toBe(true);
    child.kill('SIGINT');
    const { code, output, left } = await end();
    expect(output).toContain('Canceled.');
    expect(code).toBe(1);
    expect(left).toEqual([]);
  });
});
