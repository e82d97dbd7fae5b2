import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import {
  archiveAgentHome,
  restoreAgentHome,
} from '../../../src/execution/memory/agent-home-archive.ts';
import { newFileKey } from '../../../src/execution/memory/sealed-file.ts';
import { sessionFiles } from '../../../src/harnesses/agent-sessions.ts';
import { runOnHost } from '../../../src/sandbox/run-on-host.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

type Remembering = Pick<ServiceEnvironment, 'harness' | 'keep'>;

/** Creates a run's folder, and counts the commands that run in it. */
function newHome() {
  const workDir = temporaryFolder();
  for (const name of ['home', 'input']) mkdirSync(join(workDir, name));
  let commands = 0;
  const run: typeof runOnHost = (command) => {
    commands += 1;
    return runOnHost(command);
  };
  return {
    sandbox: { run },
    workDir,
    path: process.env['PATH'] ?? '',
    signal: AbortSignal.timeout(60_000),
    commands: () => commands,
  };
}

function write(workDir: string, files: readonly string[], content = 'pelican'): void {
  for (const name of files) {
    mkdirSync(dirname(join(workDir, name)), { recursive: true });
    writeFileSync(join(workDir, name), content);
  }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

const newTarget = () => ({
  file: join(temporaryFolder(), 'archived'),
  key: newFileKey(),
  limitBytes: 1_000_000,
});

/** Archives a home in which the agent wrote these files. */
async function pack(environment: Remembering, written: string[]) {
  const home = newHome();
  write(home.workDir, written);
  const target = newTarget();
  const outcome = await archiveAgentHome(home, sessionFiles(environment), target);
  return { outcome, commands: home.commands(), target };
}

/** Returns the files that the next run gets. */
async function nextOf(environment: Remembering, written: string[]) {
  const { outcome, target } = await pack(environment, written);
  if (outcome !== 'archived') return [];
  const next = newHome();
  expect(await restoreAgentHome(next, sessionFiles(environment), target)).toBeUndefined();
  return filesIn(next.workDir);
}

const planted = [
  ...['home/.profile', 'home/.bashrc', 'home/.gitconfig', 'home/.config/git/config'],
  ...['home/.claude/settings.json', 'home/.claude.json', 'home/.claude/hooks/pre.jsonl'],
  ...['home/.claude/projects/-work/memory/MEMORY.md', 'home/.codex/config.toml'],
  ...['input/codex-home/config.toml', 'input/codex-home/auth.json', 'input/codex-home/hooks.json'],
  ...['input/gemini-home/.gemini/settings.json', 'input/gemini-home/.gemini/tmp/bin/rg'],
  ...['home/.local/share/opencode/auth.json', 'home/.local/share/opencode/bin/gopls'],
  ...['home/.local/share/opencode/snapshot/1/config', 'home/.config/opencode/opencode.json'],
];

describe('what a conversation keeps', () => {
  it.each<[Remembering, string[]]>([
    [{ harness: 'claude' }, ['home/.claude/projects/-work/session-1.jsonl']],
    [{ harness: 'codex' }, ['input/codex-home/sessions/2026/01/rollout-1.jsonl']],
    [{ harness: 'gemini' }, ['input/gemini-home/.gemini/tmp/app/chats/session-1.json']],
    [
      { harness: 'opencode' },
      ['home/.local/share/opencode/opencode.db', 'home/.local/share/opencode/storage/m/1.json'],
    ],
    [{ harness: 'acp', keep: ['.agent'] }, ['home/.agent/deep/session', 'home/.agent/x']],
    [{ keep: ['notes.txt', '.agent/sessions'] }, ['home/.agent/sessions/1', 'home/notes.txt']],
    [{ harness: 'acp' }, []],
    [{}, []],
  ])('of %j are session files, and nothing that another run obeys', async (environment, files) => {
    expect(await nextOf(environment, [...files, ...planted])).toEqual(files.toSorted());
  });

  it.each<[Remembering, string[], string, number]>([
    [{}, ['home/notes'], 'nothing', 0],
    [{ harness: 'acp' }, ['home/notes'], 'nothing', 0],
    [{ harness: 'codex' }, ['input/codex-home/config.toml'], 'nothing', 1],
    [{ harness: 'codex' }, ['input/codex-home/sessions/1.jsonl'], 'archived', 1],
  ])(
    'of %j with the files %j: %s, after %i commands',
    async (environment, written, outcome, count) => {
      const { target: _, ...packed } = await pack(environment, written);
      expect(packed).toEqual({ outcome, commands: count });
    },
  );

  it('are no links, though they seem to lead to sessions', async () => {
    const home = newHome();
    const outside = temporaryFolder();
    write(outside, ['1.jsonl'], 'of someone else');
    mkdirSync(join(home.workDir, 'home', '.claude'));
    symlinkSync(outside, join(home.workDir, 'home', '.claude', 'projects'));
    expect(await archiveAgentHome(home, sessionFiles({ harness: 'claude' }), newTarget())).toBe(
      'nothing',
    );
  });

  it('is less than an earlier version kept, whose files a next run leaves out', async () => {
    const everything = ['home', 'input'].map((folder) => ({ folder, pattern: `${folder}/*` }));
    const home = newHome();
    const session = 'home/.claude/projects/-work/1.jsonl';
    write(home.workDir, [session, ...planted]);
    const target = newTarget();
    expect(await archiveAgentHome(home, everything, target)).toBe('archived');
    const next = newHome();
    expect(
      await restoreAgentHome(next, sessionFiles({ harness: 'claude' }), target),
    ).toBeUndefined();
    expect(filesIn(next.workDir)).toEqual([session]);
    const nothing = newHome();
    expect(await restoreAgentHome(nothing, sessionFiles({}), target)).toBeUndefined();
    expect(readdirSync(nothing.workDir).toSorted()).toEqual(['home', 'input']);
  });

  it('replaces nothing that the run already has', async () => {
    const environment = { keep: ['notes'] };
    const { target } = await pack(environment, ['home/notes']);
    const next = newHome();
    write(next.workDir, ['home/notes'], 'heron');
    expect(await restoreAgentHome(next, sessionFiles(environment), target)).toBeUndefined();
    expect(readFileSync(join(next.workDir, 'home', 'notes'), 'utf8')).toBe('heron');
  });
});
