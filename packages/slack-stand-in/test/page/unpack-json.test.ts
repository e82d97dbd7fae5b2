import { describe, expect, it } from 'vitest';
import { unpackJson } from '../../src/page/inspector/unpack-json.ts';

describe('JSON text in JSON', () => {
  it.each([
    [{ view: '{"blocks":[1]}' }, { view: { blocks: [1] } }],
    [{ view: '{"metadata":"{\\"id\\":7}"}' }, { view: { metadata: { id: 7 } } }],
    [
      ['[1, 2]', 'plain', '{not json', 3, null],
      [[1, 2], 'plain', '{not json', 3, null],
    ],
    ['12', '12'],
  ])('%j reads %j', (given, expected) => {
    expect(unpackJson(given)).toEqual(expected);
  });
});
