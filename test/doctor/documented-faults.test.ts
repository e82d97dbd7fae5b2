import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { faults } from '../../src/doctor/faults.ts';

const page = new URL('../../docs/doctor.md', import.meta.url);

it('are on the page about the doctor, which is written from them with vitest -u', async () => {
  const [intro = ''] = readFileSync(page, 'utf8').split('\n## Faults');
  const rows = Object.entries(faults).map(
    ([name, { area, what, remedy }]) => `| \`${name}\` | ${area} | ${what} | ${remedy} |`,
  );
  const table = [
    '| fault | where | what is wrong | what to do |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
  await expect(`${intro.trimEnd()}\n\n## Faults\n\n${table.join('\n')}\n`).toMatchFileSnapshot(
    '../../docs/doctor.md',
  );
});

it('each have a remedy of one sentence', () => {
  for (const { remedy } of Object.values(faults)) expect(remedy).toMatch(/^[A-Z][^!]*[^.]\.$/);
});
