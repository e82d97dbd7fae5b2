import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findEnvironment, repositoryName } from '../../src/environments/environments.ts';
import { readEnvironments } from '../../src/environments/read-environments.ts';
import { withoutCredentials } from '../../src/execution/git/git.ts';
import { type CommandTemplate, fillCommand } from '../../src/harnesses/agent-command.ts';
import { createRepository, startRunsService, temporaryFolder } from '../support/runs-service.ts';

function written(content: string): string {
  const file = join(temporaryFolder(), 'environments.yml');
  writeFileSync(file, content);
  return file;
}

const needed = '{container_name}{work_dir}{read_only}{variable}';
const one = (more: string) =>
  `environments:\n  - id: a\n    repositories: [{ url: /r }]\n    ${more}\n`;

describe('a file of environments', () => {
  it('is YAML or JSON, with paths relative to the file', () => {
    const file = written(
      'environments:\n  - id: a\n    repositories: [{ url: ../r }, { url: "git@x.test:o/s.git" }]\n    command: [agent]\n    secret_files: { T: token }\n',
    );
    const [environment] = readEnvironments(file);
    expect(environment?.repositories[0]?.url).toBe(join(file, '../../r'));
    expect(environment?.repositories[1]?.url).toBe('git@x.test:o/s.git');
    expect(environment?.secret_files).toEqual({ T: join(file, '../token') });
    const json = { environments: [{ id: 'a', repositories: [{ url: '/r' }], command: ['x'] }] };
    expect(readEnvironments(written(JSON.stringify(json)))).toEqual(json.environments);
  });

  const wrong: [name: string, content: string, says: RegExp][] = [
    ['not YAML', 'a: [', /Can't read/],
    ['empty', '', /has mistakes/],
    ['without environments', 'environments: []', /environments/],
    ['with a string as command', one('command: rm -rf /'), /environments\.0\.command/],
    ['with an empty command', one('command: []'), /must name a program/],
    [
      'with two repositories for one folder',
      'environments: [{ id: a, command: [x], repositories: [{ url: "git@x:a/r.git" }, { url: "git@x:b/r" }] }]',
      /two repositories for the folder "r"/,
    ],
    ['with neither command nor harness', one('name: x'), /either "command" or "harness"/],
    ['with both', one('command: [x]\n    harness: codex'), /either "command" or "harness"/],
    ['with an unknown harness', one('harness: magic'), /harness/],
    ['with an unknown field', one('command: [x]\n    comand: [y]'), /comand/],
    ['with a bad variable name', one('command: [x]\n    variables: { "A B": "1" }'), /variables/],
    [
      'with a container that has no name',
      one('command: [x]\n    container: [docker, run, "{work_dir}", [--env, "{variable}"], image]'),
      /must contain {container_name}/,
    ],
    [
      'with a folder for a container',
      one(`command: [x]\n    writable: [/x]\n    container: [d, ${JSON.stringify(needed)}]`),
      /doesn't apply to containers/,
    ],
    [
      'with a container, but no isolation',
      one(`command: [x]\n    isolation: none\n    container: [d, ${JSON.stringify(needed)}]`),
      /can't both be set/,
    ],
    [
      'with a missing container',
      one('command: [x]\n    isolation: container'),
      /needs "container"/,
    ],
    ['with an unknown isolation', one('command: [x]\n    isolation: some'), /isolation/],
    [
      'with limits but no sandbox',
      one('command: [x]\n    isolation: none\n    limits: { cpus: 1 }'),
      /needs a sandbox/,
    ],
    [
      'with a URL as a domain',
      one('command: [x]\n    network: ["https://x.test"]'),
      /must be a domain/,
    ],
    [
      'with a port that no domain has',
      one('command: [x]\n    network: ["x.test:0"]'),
      /must be a domain/,
    ],
    ['with a relative folder', one('command: [x]\n    read_only: [tools]'), /absolute path/],
    [
      'with a duplicate id',
      `${one('command: [x]')}  - id: a\n    repositories: [{ url: /r }]\n    command: [x]\n`,
      /"a" twice/,
    ],
    [
      'a remote runner without a command',
      one('command: [x]\n    runner: command'),
      /needs "dispatch"/,
    ],
    [
      'with a dispatch command but a local runner',
      one('command: [x]\n    dispatch: { command: [d] }'),
      /needs "runner: command"/,
    ],
    [
      'local, with an external sandbox',
      one('command: [x]\n    isolation: external'),
      /"isolation: external" needs/,
    ],
    [
      'with limits where the sandbox is external',
      one(
        'command: [x]\n    runner: command\n    dispatch: { command: [d] }\n    isolation: external\n    limits: { cpus: 1 }',
      ),
      /"limits" needs a sandbox of the service/,
    ],
    [
      'with a known agent whose provider is missing',
      `${one('harness: claude\n    models: [o]')}models: { o: { api: openai } }\n`,
      /"harness: claude", which needs a model provider with "api: anthropic"/,
    ],
    [
      'with a key that the model gateway replaces',
      `${one('harness: codex\n    models: [o]\n    secret_files: { CODEX_API_KEY: k }')}models: { o: { api: openai } }\n`,
      /CODEX_API_KEY in "secret_files"; remove it, because "models" replaces it/,
    ],
    [
      'with another address for models',
      `${one('command: [x]\n    models: [a]\n    variables: { ANTHROPIC_BASE_URL: "x" }')}models: { a: { api: anthropic } }\n`,
      /ANTHROPIC_BASE_URL in "variables"/,
    ],
    [
      'with a container that does not show the socket of the model gateway',
      `${one(`command: [x]\n    models: [a]\n    container: [d, ${JSON.stringify(needed)}]`)}models: { a: { api: anthropic } }\n`,
      /must contain \{models_folder\}/,
    ],
  ];
  it.each(wrong)('%s is rejected with the place of the mistake', (_name, content, says) => {
    expect(() => readEnvironments(written(content))).toThrow(says);
  });

  it('finds the dispatch commands next to itself', () => {
    const file = written(
      one(
        'command: [x]\n    runner: command\n    dispatch: { command: [bin/start, a/b], cancel: [stop] }',
      ),
    );
    const [environment] = readEnvironments(file);
    expect(environment?.dispatch?.command).toEqual([join(file, '../bin/start'), 'a/b']);
    expect(environment?.dispatch?.cancel).toEqual(['stop']);
  });

  it('accepts every example in the tables of docs/environments.md', () => {
    const page = readFileSync(new URL('../../../../docs/environments.md', import.meta.url), 'utf8');
    const members = page.split('\n## Members\n')[1]?.split('\n## ')[0] ?? '';
    const examples = [...members.matchAll(/^\| `(\w+: [^|`]*)` +\|/gm)].map(([, text = '']) =>
      parse(text),
    );
    expect(examples.length).toBeGreaterThan(10);
    for (const example of examples) {
      const program = 'command' in example ? {} : { harness: 'claude' };
      const environment = { id: 'one', repositories: [{ url: '/r' }], ...program, ...example };
      const models = { anthropic: { api: 'anthropic' } };
      const file = written(JSON.stringify({ environments: [environment], models }));
      const [read] = readEnvironments(file);
      expect(read).toBeDefined();
    }
  });

  it('that does not exist is rejected with its name', () => {
    expect(() => readEnvironments('/gone/environments.yml')).toThrow(/\/gone\/environments\.yml/);
  });
});

describe('the environment of a run', () => {
  const environment = (id: string, isDefault = false) => ({
    id,
    repositories: [{ url: '/r' }],
    command: ['x'],
    default: isDefault,
  });
  it.each([
    ['by id', ['a', 'b'], undefined, 'b', 'b'],
    ['unknown', ['a', 'b'], 'a', 'c', undefined],
    ['the default', ['a', 'b'], 'b', undefined, 'b'],
    ['the only one', ['a'], undefined, undefined, 'a'],
    ['none of two', ['a', 'b'], undefined, undefined, undefined],
  ])('%s', (_name, ids, defaultId, wanted, found) => {
    const all = ids.map((id) => environment(id, id === defaultId));
    expect(findEnvironment(all, wanted)?.id).toBe(found);
  });
});

describe('a repository address', () => {
  it.each([
    ['https://x.test/owner/repo.git', 'owner/repo'],
    ['git@x.test:owner/repo.git', 'owner/repo'],
    ['/home/me/owner/repo/', 'owner/repo'],
    ['ssh://git@x.test/owner/repo', 'owner/repo'],
  ])('%s is %s', (url, name) => expect(repositoryName({ url })).toBe(name));

  it.each([
    ['https://user:pass@x.test/r', 'https://x.test/r'],
    [
      "fatal: 'https://tok@x.test/r' and http://a:b@y.test",
      "fatal: 'https://x.test/r' and http://y.test",
    ],
    ['https://user:p@ss@x.test/r', 'https://x.test/r'],
    ['git@x.test:o/r', 'git@x.test:o/r'],
    ['https://x.test/a@b', 'https://x.test/a@b'],
  ])('%s is shown as %s', (text, shown) => expect(withoutCredentials(text)).toBe(shown));
});

describe('a command', () => {
  const cases: [name: string, template: CommandTemplate, values: object, argv: string[]][] = [
    ['without values', ['a', '-b'], {}, ['a', '-b']],
    ['with values', ['a', '--m={model}'], { model: 'x y; rm' }, ['a', '--m=x y; rm']],
    ['with a value that is missing', ['a', '{model}'], {}, ['a', '']],
    ['with an option that is missing', ['a', ['-m', '{model}'], 'z'], {}, ['a', 'z']],
    [
      'with an option',
      ['a', ['-m', '{model}']],
      { model: '$&{prompt}' },
      ['a', '-m', '$&{prompt}'],
    ],
    ['with braces of its own', ['awk', '{print $1}', '{x}'], {}, ['awk', '{print $1}', '{x}']],
  ];
  it.each(cases)('%s', (_name, template, values, argv) => {
    expect(fillCommand(template, values)).toEqual(argv);
  });
});

describe('a harness', () => {
  /** Arguments of each harness, around the model and the MCP server of a request. */
  const harnesses = {
    claude:
      '--print|--output-format=stream-json|--verbose|--model=--m 1|--mcp-config=FILE|--allowedTools=mcp__a|--permission-mode=acceptEdits',
    codex: 'exec|--json|--skip-git-repo-check|--model=--m 1|--sandbox=workspace-write',
    gemini: '--output-format=stream-json|--skip-trust|--model=--m 1|--approval-mode=auto_edit',
    opencode: 'run|--format=json|--print-logs|--log-level=ERROR|--model=--m 1',
  };

  it('gets the model, base prompt and prompt, even if they are too long for a command line', async () => {
    const bin = temporaryFolder();
    const program = '#!/bin/sh\n(IFS="|"; printf "%s\\n" "$*"); cat\n';
    for (const name of Object.keys(harnesses))
      writeFileSync(join(bin, name), program, { mode: 0o755 });
    const repositories = [{ url: createRepository({ 'a.txt': '' }) }];
    const common = { isolation: 'none', mcp: 'any', repositories };
    const environments = Object.keys(harnesses).map((harness) => ({
      ...common,
      id: harness,
      harness,
    }));
    const service = await startRunsService({
      environments: readEnvironments(written(JSON.stringify({ environments }))),
      path: `${bin}:${process.env['PATH']}`,
    });
    const base_prompt = 'b'.repeat(150_000);
    for (const [environment_id, argv] of Object.entries(harnesses)) {
      const mcp_servers = { a: { command: 'b' } };
      const config = { environment_id, model_id: '--m 1', base_prompt, mcp_servers };
      const id = await service.begin({ prompt: 'do it', config });
      expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
      const output = readFileSync(join(service.dataDir, 'transcripts', id, 'output.log'), 'utf8');
      const seen = output.replace(/\/[^|]+claude-mcp\.json/, 'FILE');
      expect(seen).toBe(`${argv}\n${base_prompt}\n\ndo it`);
    }
  });

  it('keeps its required arguments if the environment sets arguments', () => {
    const file = written(
      'environments:\n' +
        '  - { id: g, repositories: [{ url: /r }], harness: gemini, arguments: [--yolo] }\n' +
        '  - { id: c, repositories: [{ url: /r }, { url: /s }], harness: codex, arguments: [] }\n',
    );
    const [gemini, codex] = readEnvironments(file);
    expect(gemini?.command).toContain('--skip-trust');
    expect(codex?.command).toContain('--skip-git-repo-check');
  });

  it('says which argument is too long for a command line', async () => {
    const command = ['echo', '{prompt}'];
    const service = await startRunsService({
      environments: [{ id: 'a', isolation: 'none', repositories: [], command }],
    });
    const id = await service.begin({ prompt: 'x'.repeat(150_000) });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run.status_message?.message).toContain('longer than the 128 KiB');
    expect(run.status_message?.message).toContain('{prompt_file}');
  });
});
