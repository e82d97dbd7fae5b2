import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fileCapSchema } from '../../src/environments/models-config.ts';
import { readEnvironments } from '../../src/environments/read-environments.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const page = readFileSync(new URL('../../../../docs/costs.md', import.meta.url), 'utf8');
const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];

describe('docs/costs.md', () => {
  it('has a file that works as written', () => {
    const file = join(temporaryFolder(), 'environments.yml');
    writeFileSync(file, example);
    const [environment] = readEnvironments(file);
    expect(environment?.timeZone).toBe('Europe/Berlin');
    expect(environment?.caps?.map(({ usd, per }) => [usd, per])).toEqual([
      [5, 'run'],
      [20, 'day'],
      [300, 'week'],
      [2000, 'month'],
    ]);
  });

  it('explains each member and each choice of a cap', () => {
    const rows = [...page.matchAll(/^\| `(\w+: [^`]+)` \|.*$/gm)];
    const members = rows.map(([, member = '']) => Object.keys(parse(member)).join());
    const { shape } = fileCapSchema;
    expect(members).toEqual([...Object.keys(shape), 'time_zone']);
    const text = rows.map(([row]) => row).join('\n');
    for (const choice of [...shape.scope.options, ...shape.per.options])
      expect(text).toContain(`\`${choice}\``);
  });
});
