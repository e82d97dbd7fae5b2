import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildCommit, type CommitPlan } from '../../src/publishing/git/build-commit.ts';
import { createPublishGit } from '../../src/publishing/git/publish-git.ts';
import { createRepository, temporaryFolder } from '../support/runs-service.ts';

/** Applies a patch to a commit, like publishing does. */
async function build(
  patch: string | Buffer,
  source = createRepository({ 'notes.txt': 'one\ntwo\n' }),
) {
  const folder = temporaryFolder();
  const dir = mkdtempSync(join(folder, 'repository-'));
  const start = execFileSync('git', ['rev-parse', 'HEAD'], {
    cwd: source,
    encoding: 'utf8',
  }).trim();
  const git = createPublishGit({
    dir,
    objectsDir: join(source, '.git', 'objects'),
    access: { url: source, settings: [] },
    path: process.env['PATH'] ?? '',
    signal: new AbortController().signal,
  });
  await git(['init', '--quiet', '--bare']);
  const patchFile = join(folder, 'changes.patch');
  writeFileSync(patchFile, patch);
  const author = { name: 'App', email: 'app@localhost' };
  const plan: CommitPlan = {
    patchFile,
    start,
    tip: undefined,
    baseTip: start,
    message: 'Change',
    author,
    atSeconds: 1,
    signingKeyFile: undefined,
  };
  const commit = await buildCommit(git, plan);
  const files = async () => (await git(['ls-tree', '-r', commit])).trim().split('\n');
  return { git, commit, files, folder, dir };
}

const added = (path: string, content: string, mode = '100644') =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${content}\n`;

describe('a patch of an agent', () => {
  it.each([
    ['outside of the repository', '../escaped.txt'],
    ['in the git folder', '.git/hooks/post-index-change'],
    ['in the git folder, in capital letters', '.GIT/config'],
  ])('with a path %s is rejected', async (_, path) => {
    await expect(build(added(path, 'x'))).rejects.toThrow("can't be applied");
  });

  it('can set filters, and none runs', async () => {
    const mark = join(temporaryFolder(), 'mark');
    const patch =
      added('.gitattributes', '* filter=evil diff=evil merge=evil text eol=crlf ident') +
      added('.gitconfig', `[filter "evil"] clean = touch ${mark}`) +
      added('a.txt', '$Id$');
    const { git, commit, files } = await build(patch);
    expect(await files()).toHaveLength(4);
    expect(await git(['show', `${commit}:a.txt`])).toBe('$Id$\n');
    expect(existsSync(mark)).toBe(false);
  });

  it('can have links and submodules, which stay content', async () => {
    const target = join(temporaryFolder(), 'target');
    const link = added('link', target, '120000').replace(/\n$/, '\n\\ No newline at end of file\n');
    const module = `diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${'1'.repeat(40)}\n`;
    const { files, folder } = await build(link + module);
    expect((await files()).filter((line) => /^(120000|160000) /.test(line))).toHaveLength(2);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(existsSync(target)).toBe(false);
  });

  it('can rename, and change bytes and LFS pointers, exactly as they are', async () => {
    const work = createRepository({ 'notes.txt': 'one\ntwo\n' });
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    mkdirSync(join(work, 'deep'));
    writeFileSync(join(work, 'deep', 'bytes.bin'), Buffer.from([0, 1, 2, 255, 0]));
    writeFileSync(join(work, 'big.psd'), pointer);
    writeFileSync(join(work, '.gitattributes'), '*.psd filter=lfs diff=lfs merge=lfs -text\n');
    execFileSync('git', ['mv', 'notes.txt', 'renamed.txt'], { cwd: work });
    execFileSync('git', ['add', '--all'], { cwd: work });
    const patch = execFileSync('git', ['diff', '--cached', '--binary', '--find-renames', 'HEAD'], {
      cwd: work,
    });
    const { git, commit, files } = await build(patch);
    const names = (await files()).map((line) => line.split('\t')[1]);
    expect(names).toEqual(['.gitattributes', 'big.psd', 'deep/bytes.bin', 'renamed.txt']);
    expect(await git(['show', `${commit}:big.psd`])).toBe(pointer);
    expect(await git(['cat-file', '-s', `${commit}:deep/bytes.bin`])).toBe('5\n');
  });

  it('of 8 MB is applied', async () => {
    const count = 80_000;
    const head = `diff --git a/big b/big\nnew file mode 100644\n--- /dev/null\n+++ b/big\n@@ -0,0 +1,${count} @@\n`;
    const { git, commit } = await build(head + `+${'x'.repeat(99)}\n`.repeat(count));
    expect(await git(['cat-file', '-s', `${commit}:big`])).toBe(`${count * 100}\n`);
  });

  it('that unpacks to more than the memory limit is rejected', async () => {
    const work = createRepository({ 'notes.txt': 'one\ntwo\n' });
    writeFileSync(join(work, 'bomb'), Buffer.from([0, 1, 2, 255, 0]));
    execFileSync('git', ['add', '--all'], { cwd: work });
    const small = execFileSync('git', ['diff', '--cached', '--binary'], {
      cwd: work,
      encoding: 'utf8',
    });
    const patch = small.replace('literal 5', 'literal 68719476736');
    expect(patch).not.toBe(small);
    await expect(build(patch)).rejects.toThrow(/can't be applied: fatal: [Oo]ut of memory/);
  });
});

it('makes the same commit every time, so that a repeated push changes nothing', async () => {
  const source = createRepository({ 'notes.txt': 'one\n' });
  const [one, other] = [await build(added('a', 'a'), source), await build(added('a', 'a'), source)];
  expect(one.commit).toBe(other.commit);
});
