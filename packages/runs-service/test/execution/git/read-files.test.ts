import { expect, it } from 'vitest';
import { readFilesOf } from '../../../src/execution/git/read-files.ts';
import { runOnHost } from '../../../src/sandbox/run-on-host.ts';
import { createGitRepository } from '../../support/git-repository.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

it('files of a commit are read whole, in their order, whatever they contain', async () => {
  const files = {
    'a/large': 'x'.repeat(1024 * 1024 + 1),
    'b/void': '',
    'c/two\nlines': 'Zürich\n\n',
    'd/same': 'Zürich\n\n',
    'e/unwanted': 'no',
    'f/most': 'y'.repeat(1024 * 1024),
    'g/beyond': 'one too many',
  };
  const cwd = createGitRepository(temporaryFolder(), files);
  const path = process.env['PATH'] ?? '';
  const { signal } = new AbortController();
  const isWanted = (name: string) => name !== 'e/unwanted';
  const read = await readFilesOf('HEAD', isWanted, 5, { run: runOnHost, cwd, path, signal });
  const wanted = ['a/large', 'b/void', 'c/two\nlines', 'd/same', 'f/most'] as const;
  expect(read).toEqual(
    wanted.map((name) => ({ path: name, content: name === 'a/large' ? undefined : files[name] })),
  );
});
