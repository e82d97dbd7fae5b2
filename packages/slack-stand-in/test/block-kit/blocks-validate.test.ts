import { describe, expect, it } from 'vitest';
import { answerBlocksValidate } from '../../src/methods/blocks-validate.ts';
import * as a from './fragments.ts';

describe('blocks.validate', () => {
  it('accepts valid blocks', () => {
    expect(answerBlocksValidate({ blocks: JSON.stringify([a.aSection]) })).toEqual({ ok: true });
    expect(answerBlocksValidate({ view: JSON.stringify(a.aModal) })).toEqual({ ok: true });
    expect(answerBlocksValidate({ message: '{"text":"x"}' })).toEqual({ ok: true });
  });

  it('returns pointers into its argument', () => {
    const blocks = JSON.stringify([{ type: 'section', text: { type: 'invalid', text: 'x' } }]);
    expect(answerBlocksValidate({ blocks })).toEqual({
      ok: false,
      error: 'invalid_blocks',
      errors: [
        {
          code: 'failed_constraint',
          message: 'unsupported type: invalid',
          pointer: '/0/text/type',
        },
      ],
    });
    expect(answerBlocksValidate({ message: '{}' })).toMatchObject({ error: 'invalid_message' });
    expect(answerBlocksValidate({ view: '{}' })).toMatchObject({ error: 'invalid_view' });
  });

  it.each([
    ['nothing', {}],
    ['two things', { blocks: '[]', view: '{}' }],
    ['no JSON', { blocks: '[' }],
    ['an object that is not a text', { view: {} }],
    ['more than 100,000 characters', { blocks: `[${' '.repeat(100_000)}]` }],
  ])('rejects %s', (_, args) => {
    expect(answerBlocksValidate(args)).toMatchObject({ ok: false, error: 'invalid_arguments' });
  });
});
