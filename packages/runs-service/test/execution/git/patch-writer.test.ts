import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPatchWriter, saveIncomplete } from '../../../src/execution/git/save-changes.ts';
import { createRepository, temporaryFolder } from '../../support/runs-service.ts';

/** Creates a patch with text, bytes, an empty file, a new name and a deletion. */
function everyKindOfChange() {
  const long = 'one\ntwo\nthree\nfour\nfive\n';
  const folder = createRepository({ a: long, gone: 'x\n', named: long, z: 'z\n' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  writeFileSync(join(folder, 'a'), long.replace('three', 'drei'));
  writeFileSync(join(folder, 'bytes'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(folder, 'empty'), '');
  rmSync(join(folder, 'gone'));
  renameSync(join(folder, 'named'), join(folder, 'renamed'));
  writeFileSync(join(folder, 'z'), 'zz\n');
  git('add', '--all');
  const patch = git('diff', '--cached', '--binary', '--find-renames');
  git('reset', '--quiet', '--hard');
  const applies = (file: string) =>
    spawnSync('git', ['apply', '--check', file], { cwd: folder }).status === 0;
  return { patch, applies };
}

it('a partial patch cannot be applied, and says that it is incomplete', async () => {
  const { patch, applies } = everyKindOfChange();
  const folder = temporaryFolder();
  const [file, incomplete] = [join(folder, 'x.patch'), join(folder, 'incomplete.patch')];
  const write = (limitBytes: number) => {
    const writer = createPatchWriter(file, [], limitBytes);
    for (let at = 0; at < patch.length; at += 100) writer.push(patch.subarray(at, at + 100));
    writer.close();
    return writer.full.aborted;
  };
  expect(write(patch.length)).toBe(false);
  expect(readFileSync(file)).toEqual(patch);
  expect(applies(file)).toBe(true);
  const lineStarts = [...patch.toString('latin1').matchAll(/\n/g)].map(({ index }) => index + 1);
  for (const limit of [0, 1, 300, patch.length - 1, ...lineStarts.slice(0, -1)]) {
    expect(write(limit)).toBe(true);
    await saveIncomplete(file, incomplete);
    const kept = readFileSync(incomplete, 'latin1');
    expect(kept).toMatch(/^This patch is incomplete/);
    expect(kept.endsWith(patch.subarray(0, limit).toString('latin1'))).toBe(true);
    expect(applies(incomplete), kept).toBe(false);
  }
});
