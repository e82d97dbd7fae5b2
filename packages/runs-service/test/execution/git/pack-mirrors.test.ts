import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMirrors } from '../../../src/execution/git/mirrors.ts';
import { createGitRepository } from '../../support/git-repository.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const { signal } = new AbortController();
const inMirror = (mirror: string, script: string) =>
  execFileSync('sh', ['-c', script], { cwd: mirror, encoding: 'utf8', stdio: 'pipe' });
/** Each pack contains an object that no branch reaches. */
const makePacks = `for each in $(seq 60); do
  echo "file $each" | git hash-object -w --stdin | git pack-objects -q objects/pack/pack
done; git prune-packed -q; git count-objects -v`;

it('a mirror of many packs gets one, with what no branch has, and fetches again', async () => {
  const folder = temporaryFolder();
  const repository = createGitRepository(join(folder, 'app'), { 'README.md': 'Hello' });
  const path = process.env['PATH'] ?? '';
  const mirrors = createMirrors({ mirrorsDir: join(folder, 'mirrors'), path });
  const url = `file://${repository}`;
  const mirror = await mirrors.refresh(url, signal, 'run');
  mkdirSync(join(folder, 'mirrors', 'half.git.new'));
  const broken = join(folder, 'mirrors', '0.git');
  expect(await mirrors.pack(signal)).toBe(0);

  expect(inMirror(mirror, makePacks)).toMatch(/^packs: 6\d$/m);
  const lost = inMirror(mirror, 'echo "file 7" | git hash-object --stdin').trim();
  mkdirSync(broken);
  await expect(mirrors.pack(signal)).rejects.toThrow('not a git repository');
  expect(inMirror(mirror, 'git count-objects -v')).toMatch(/^packs: 1$/m);
  rmSync(broken, { recursive: true });
  inMirror(mirror, makePacks);
  expect(await mirrors.pack(signal)).toBe(1);
  expect(inMirror(mirror, `git cat-file -p ${lost}`)).toBe('file 7\n');
  await mirrors.refresh(url, signal, 'run');
  inMirror(mirror, 'git fsck --strict');
});

it('what a killed git left in a mirror is deleted once no git can still be writing it', async () => {
  const folder = temporaryFolder();
  const repository = createGitRepository(join(folder, 'app'), { 'README.md': 'Hello' });
  const path = process.env['PATH'] ?? '';
  const mirrors = createMirrors({ mirrorsDir: join(folder, 'mirrors'), path });
  const mirror = await mirrors.refresh(`file://${repository}`, signal, 'run');
  inMirror(mirror, 'git repack -q -a -d');
  const packs = join(mirror, 'objects', 'pack');
  const whole = readdirSync(packs);
  const twoHoursAgo = Date.now() / 1000 - 7_200;
  for (const name of whole) utimesSync(join(packs, name), twoHoursAgo, twoHoursAgo);
  for (const name of ['tmp_pack_Ab12Cd', '.tmp-77-pack-0123.pack', 'tmp_idx_new']) {
    writeFileSync(join(packs, name), 'half');
    if (!name.endsWith('new')) utimesSync(join(packs, name), twoHoursAgo, twoHoursAgo);
  }
  expect(await mirrors.pack(signal)).toBe(0);
  expect(readdirSync(packs).toSorted()).toEqual([...whole, 'tmp_idx_new'].toSorted());
  inMirror(mirror, 'git fsck --strict');
});
