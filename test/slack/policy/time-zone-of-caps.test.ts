import { expect, it } from 'vitest';
import type { Rule } from '../../../src/policy/policy.ts';
import { capsInputs } from '../../../src/slack/policy/rule-inputs.ts';

it.each<[rule: Partial<Rule> | undefined, shown: string | undefined]>([
  [undefined, 'Europe/Berlin'],
  [{}, 'Europe/Berlin'],
  [{ run_cap: 5 }, 'Europe/Berlin'],
  [{ person_cap: '$20 per day' }, undefined],
  [{ person_cap: '$20 per day', time_zone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
])('the form of the rule %j shows the time zone %s to an editor in Berlin', (rule, shown) => {
  const inputs = capsInputs(rule && ({ name: 'Everyone', ...rule } as Rule), 'Europe/Berlin');
  const zone = inputs.find(({ block_id: id }) => id?.includes('time_zone'))?.element;
  expect((zone as { initial_value?: string }).initial_value).toBe(shown);
});
