import { describe, expect, it } from 'vitest';
import { checkField } from '../../src/people/modal-acts.ts';

const text = (type: string, value: string, rest: object = {}) =>
  [
    { type, ...rest },
    { type, value },
  ] as const;
const ok = undefined;
const wholeNumber = { min_value: '2', max_value: '5' };

const cases: [what: string, given: ReturnType<typeof text>, says: string | undefined][] = [
  [
    'a short text',
    text('plain_text_input', 'ab', { min_length: 3 }),
    'Enter at least 3 characters.',
  ],
  [
    'a long text',
    text('plain_text_input', 'abcd', { max_length: 3 }),
    'Enter at most 3 characters.',
  ],
  ['emoji, counted as one each', text('plain_text_input', '👩👩', { max_length: 2 }), ok],
  ['a word for a number', text('number_input', 'two'), 'Enter a number.'],
  ['a fraction', text('number_input', '2.5', wholeNumber), 'Enter a whole number.'],
  ['a fraction where allowed', text('number_input', '2.5', { is_decimal_allowed: true }), ok],
  ['a low number', text('number_input', '1', wholeNumber), 'Enter at least 2.'],
  ['a high number', text('number_input', '6', wholeNumber), 'Enter at most 5.'],
  ['a good number', text('number_input', '5', wholeNumber), ok],
  [
    'an address without a host',
    text('email_text_input', 'ada@'),
    'Enter an email address, such as name@example.com.',
  ],
  ['a good address', text('email_text_input', 'ada@example.com'), ok],
  [
    'a script',
    text('url_text_input', 'javascript:x'),
    'Enter a web address that begins with http:// or https://.',
  ],
  ['a good link', text('url_text_input', 'https://x.org/a?b'), ok],
];

describe("Slack's client rejects to send", () => {
  it.each(cases)('%s', (_what, [element, value], says) => {
    expect(checkField(element, value)).toBe(says);
  });

  it('more picks than allowed', () => {
    const element = { type: 'multi_users_select', max_selected_items: 1 };
    const value = { type: 'multi_users_select', selected_users: ['U1', 'U2'] };
    expect(checkField(element, value)).toBe('Pick at most 1.');
  });
});
