import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { clientEntries, root, writeExamples } from './support/client-examples.ts';

const run = promisify(execFile);

it('the examples of the README of runs-client fit the types', async () => {
  const { folder, remove } = writeExamples('typed-examples');
  onTestFinished(remove);
  const paths = Object.fromEntries(clientEntries.map(([name, source]) => [name, [source]]));
  const config = {
    extends: `${root}tsconfig.json`,
    compilerOptions: { noEmit: true, allowImportingTsExtensions: true, paths, rootDir: root },
    include: ['.'],
    exclude: [],
  };
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify(config));
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const output = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(output.stdout).toBe('');
});
