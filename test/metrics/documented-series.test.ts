import { readFileSync } from 'node:fs';
import { processSeries, type Series } from 'base/metrics/series';
import { serviceSeries } from 'runs-service/metrics/series';
import { expect, it } from 'vitest';
import { botSeries } from '../../src/metrics/series.ts';
import { alertNames, usedSeries } from './queries.ts';

const groups: Record<string, Record<string, Series>> = {
  'The bot': botSeries,
  'The runs service': serviceSeries,
  'Every process': processSeries,
};
const series = Object.assign({}, ...Object.values(groups));

const page = new URL('../../docs/metrics.md', import.meta.url);

const tableOf = (some: Record<string, Series>) =>
  [
    '| series | type | labels | what it is |',
    '| ------ | ---- | ------ | ---------- |',
    ...Object.entries(some).map(
      ([name, { type, labels, help }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
    ),
  ].join('\n');

it('are on the page about metrics, which is written from them with vitest -u', async () => {
  const [intro = ''] = readFileSync(page, 'utf8').split('\n## ');
  const tables = Object.entries(groups).map(([title, some]) => `## ${title}\n\n${tableOf(some)}`);
  await expect(`${[intro.trimEnd(), ...tables].join('\n\n')}\n`).toMatchFileSnapshot(
    '../../docs/metrics.md',
  );
});

it('are at least 25, and all that the dashboard and the alerts use', () => {
  expect(Object.keys(series).length).toBeGreaterThanOrEqual(25);
  const unknown = usedSeries().filter((name) => !(name in series));
  expect(unknown).toEqual([]);
  const unused = Object.keys(series).filter((name) => !usedSeries().includes(name));
  expect(unused).toEqual([]);
});

it('lead to alerts that the page for operators explains, one by one', () => {
  const text = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const explained = [...text.matchAll(/^\| `(SlashAgent\w+)`/gm)].map((match) => match[1]);
  expect(explained).toEqual(alertNames());
});
