import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

it('a service starts with files of a file manager between the folders of its runs', async () => {
  const dataDir = temporaryFolder();
  const works = join(dataDir, 'work');
  mkdirSync(works);
  writeFileSync(join(works, '.DS_Store'), '');
  const outside = join(temporaryFolder(), 'kept');
  writeFileSync(outside, '');
  symlinkSync(outside, join(works, 'link'));
  const service = await startRunsService({ environments: [shellEnvironment('true')], dataDir });
  const id = await service.begin({ prompt: 'x' });
  expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  expect(readdirSync(works)).toEqual([]);
  expect(existsSync(outside)).toBe(true);
});
