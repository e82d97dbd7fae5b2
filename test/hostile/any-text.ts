import fc from 'fast-check';
import { hostileTexts } from './hostile-texts.ts';

const pieces = fc.constantFrom(
  ...[
    'run',
    'list',
    'show',
    '--dry-run',
    '--',
    '—',
    'env=',
    'title="',
    'x=',
    '“',
    '’',
    '\\',
    ' ',
    '\n',
  ],
  ...[
    '<@U1>',
    '<#C1|',
    '<!here>',
    '&amp;',
    '&lt',
    '<',
    '>',
    '|',
    '`',
    '{',
    '"',
    '👩‍👩‍👧',
    '\u0000',
    '\u202e',
  ],
);
/** Generates any text, but prefers pieces that have a meaning in Slack or Markdown. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 20 })
    .map((all) => all.join('')),
  fc.constantFrom(...hostileTexts.map(([, hostile]) => hostile)),
);
