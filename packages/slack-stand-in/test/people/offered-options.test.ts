import { describe, expect, it } from 'vitest';
import { checkOffer, flatOptions } from '../../src/people/element-acts.ts';
import { option, options, plain } from '../block-kit/fragments.ts';

const group = (count: number) => ({ label: plain('g'), options: options(count) });

const right: [what: string, offer: object][] = [
  ['a hundred options', { options: options(100) }],
  ['nothing found', { options: [] }],
  ['no groups', { option_groups: [] }],
  ['groups', { option_groups: [group(2), group(3)] }],
];

const wrong: [what: string, offer: object, says: RegExp][] = [
  ['an answer without options', {}, /neither/],
  ['a hundred and one options', { options: options(101) }, /options/],
  ['a long text', { options: [{ ...option(), text: plain('x'.repeat(76)) }] }, /76|less than/],
  ['a field that options do not have', { options: [{ ...option(), id: 'x' }] }, /options\/0/],
  ['both kinds at once', { options: options(1), option_groups: [group(1)] }, /option/],
];

describe('the options of an external select', () => {
  it.each(right)('can be %s', (_what, offer) => {
    expect(checkOffer({ ...offer })).toEqual([]);
  });

  it.each(wrong)("can't be %s", (_what, offer, says) => {
    expect(checkOffer({ ...offer }).join()).toMatch(says);
  });

  it('is one list, with or without groups', () => {
    expect(flatOptions({ option_groups: [group(2), group(3)] })).toHaveLength(5);
    expect(flatOptions({ options: options(4) })).toHaveLength(4);
  });
});
