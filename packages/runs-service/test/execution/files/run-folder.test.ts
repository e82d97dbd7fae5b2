import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createRunFolder } from '../../../src/execution/files/run-folder.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

async function create(worksDir: string, isMounted: boolean) {
  const discarded: string[] = [];
  const made = await createRunFolder({
    worksDir,
    stableDir: worksDir,
    runId: 'run-2',
    workName: 'run-1',
    isMounted,
    async discard(folder) {
      discarded.push(folder);
      rmSync(folder, { recursive: true });
    },
  });
  return { ...made, discarded };
}

it('a run gets a new folder with a random name, which a sandbox shows at the path of its conversation', async () => {
  const worksDir = temporaryFolder();
  const [one, two] = [await create(worksDir, true), await create(worksDir, true)];
  expect(one.outermost).toMatch(/\/run-2\.[0-9a-f-]{36}$/);
  expect(one.outermost).not.toBe(two.outermost);
  for (const { fresh, outermost } of [one, two]) {
    const { inside, location } = fresh.close();
    expect(inside).toBe(join(worksDir, 'run-1'));
    expect(location).toEqual({ folder: join(outermost, 'files'), inside });
    expect(statSync(outermost).mode & 0o777).toBe(0o700);
  }
  expect(existsSync(join(worksDir, 'run-1'))).toBe(false);
});

it('without a sandbox, the folder is at the path of its conversation only if nothing is there', async () => {
  const worksDir = temporaryFolder();
  const one = await create(worksDir, false);
  expect(one.fresh.inside).toBe(join(worksDir, 'run-1'));
  const two = await create(worksDir, false);
  expect(two.fresh.inside).toBe(two.outermost);
  expect(two.outermost).toMatch(/\/run-2\.[0-9a-f-]{36}$/);
  const other = temporaryFolder();
  symlinkSync(temporaryFolder(), join(other, 'run-1'));
  expect((await create(other, false)).outermost).toMatch(/\/run-2\./);
});

it('the service writes to it only before the first command', async () => {
  const { fresh, outermost } = await create(temporaryFolder(), true);
  const seen = await fresh.write('input/prompt.txt', 'hello');
  expect(seen).toBe(join(fresh.inside, 'input/prompt.txt'));
  const file = join(outermost, 'files', 'input', 'prompt.txt');
  expect(readFileSync(file, 'utf8')).toBe('hello');
  await expect(fresh.write('input/prompt.txt', 'again')).rejects.toThrow('EEXIST');
  fresh.close();
  await expect(fresh.write('input/other.txt', 'late')).rejects.toThrow("can't be written anymore");
  expect(() => fresh.hostOf('repo')).toThrow("can't be written anymore");
  expect(readdirSync(dirname(file))).toEqual(['prompt.txt']);
});

it('later it only renames and removes what is directly in it, and follows nothing', async () => {
  const { fresh, discarded } = await create(temporaryFolder(), true);
  const folder = fresh.close();
  const host = folder.location.folder;
  const outside = temporaryFolder();
  mkdirSync(join(outside, 'saved'));
  symlinkSync(outside, join(host, 'link'));
  expect(await folder.removeIfEmpty('link')).toBe(false);
  expect(await folder.removeIfEmpty('artifacts')).toBe(true);
  await expect(folder.moveOut('link', join(outside, 'moved'))).rejects.toThrow("isn't a folder");
  for (const name of ['link/saved', '../x', '..', 'repo/..'])
    await expect(folder.moveOut(name, join(outside, 'moved'))).rejects.toThrow('directly');
  const from = temporaryFolder();
  mkdirSync(join(from, 'repo'));
  writeFileSync(join(from, 'repo', 'new'), '');
  await folder.replace(['repo'], from);
  expect(discarded).toEqual([join(host, 'repo')]);
  expect(readdirSync(join(host, 'repo'))).toEqual(['new']);
});
