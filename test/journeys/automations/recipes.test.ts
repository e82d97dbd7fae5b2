/** Does what the recipes of docs/automations.md say, with the texts of the page. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readFilter } from '../../../src/automations/filter.ts';
import { matchesGlob } from '../../../src/automations/glob.ts';
import { readyMade } from '../../../src/automations/ready-made.ts';
import { readSchedule } from '../../../src/automations/schedule-words.ts';
import { templateProblem } from '../../../src/automations/template.ts';

const page = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8');

/** Returns the code block of a recipe. */
function textOfRecipe(number: number): string {
  const [, recipe = ''] = page.split(new RegExp(`^### ${number}\\. .*$`, 'm'));
  const [, text = ''] = /```(?:sh)?\n([\s\S]*?)```/.exec(recipe) ?? [];
  return text.trim();
}

const named = (name: string) => readyMade.find((each) => each.name === name);

describe('the texts of docs/automations.md', () => {
  it('are the filters, schedules and prompts that the app reads', () => {
    const checks = named('GitHub check failed on the default branch');
    expect(readFilter(textOfRecipe(3))).toEqual(checks?.filter);
    const times = [...page.matchAll(/`((?:every|first) [^`]+|cron: [^`]+)`/g)];
    expect(times.map(([, time = '']) => readSchedule(time))).toEqual([
      { cron: '30 8 * * MON#1' },
      { cron: '30 14 * * MON,THU' },
      { cron: '*/15 * * * *' },
      { cron: '0 9 * * 1-5' },
    ]);
    expect(templateProblem(textOfRecipe(5), 'reaction')).toBeUndefined();
    expect(matchesGlob(`*${textOfRecipe(4)}*`, '[FIRING:1] DiskFull in production')).toBe(true);
    expect(page.match(/_[^_]+_/g)).toEqual(
      expect.arrayContaining(readyMade.map(({ name }) => `_${name}_`)),
    );
  });
});
