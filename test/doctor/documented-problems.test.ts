import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { problems } from '../../src/doctor/problems.ts';

const page = new URL('../../docs/doctor.md', import.meta.url);

it('are on the page about the doctor, which is written from them with vitest -u', async () => {
  const [intro = ''] = readFileSync(page, 'utf8').split('\n## Problems');
  const rows = Object.entries(problems).map(
    ([name, { area, what, remedy }]) => `| \`${name}\` | ${area} | ${what} | ${remedy} |`,
  );
  const table = [
    '| problem | where | what is wrong | what to do |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
  await expect(`${intro.trimEnd()}\n\n## Problems\n\n${table.join('\n')}\n`).toMatchFileSnapshot(
    '../../docs/doctor.md',
  );
});

it('each have a remedy of one sentence', () => {
  for (const { remedy } of Object.values(problems)) expect(remedy).toMatch(/^[A-Z][^!]*[^.]\.$/);
});
