import { describe, expect, it } from 'vitest';
import { elicit } from '../../../src/harnesses/acp/acp-form.ts';
import type { AgentQuestion, PersonAnswer } from '../../../src/harnesses/harness.ts';

type Schema = { properties: Record<string, object>; required?: string[] };

/** Fills in a form with these answers. Further questions get no answer. */
async function fillIn(schema: Schema, ...answers: PersonAnswer[]) {
  const asked: AgentQuestion[] = [];
  const ask = async (question: AgentQuestion) => {
    asked.push(question);
    return answers[asked.length - 1];
  };
  const request = { mode: 'form', sessionId: 's', message: 'Deploy', requestedSchema: schema };
  const response = await elicit({ ask }, request as Parameters<typeof elicit>[1]);
  return { asked, response };
}

const text = (given: string) => ({ text: given });

describe('a form with several fields', () => {
  const properties = {
    where: { type: 'string', title: 'Where', description: 'One place.', enum: ['here', 'there'] },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    sure: { type: 'boolean', title: 'Sure?' },
    why: { type: 'string' },
  };
  const required = ['where', 'count'];

  const values = { where: 'there', count: 3, sure: false, why: 'Because', colors: ['a', 'b'] };
  const all = {
    ...properties,
    colors: {
      type: 'array',
      title: 'Colors',
      minItems: 1,
      items: { anyOf: ['a', 'b'].map((id) => ({ const: id, title: `Color ${id}` })) },
    },
    mail: { type: 'string', format: 'email', maxLength: 50 },
  };

  it('is asked as one form, and answered with its values', async () => {
    const { asked, response } = await fillIn({ properties: all, required }, { values });
    expect(response).toEqual({ action: 'accept', content: values });
    expect(asked).toEqual([
      {
        text: 'Deploy',
        options: [],
        acceptsText: false,
        fields: [
          {
            name: 'where',
            label: 'Where',
            kind: 'choice',
            is_required: true,
            description: 'One place.',
            options: [
              { id: 'here', label: 'here' },
              { id: 'there', label: 'there' },
            ],
          },
          {
            name: 'count',
            label: 'count',
            kind: 'integer',
            is_required: true,
            minimum: 1,
            maximum: 9,
          },
          { name: 'sure', label: 'Sure?', kind: 'boolean', is_required: false },
          { name: 'why', label: 'why', kind: 'text', is_required: false },
          {
            name: 'colors',
            label: 'Colors',
            kind: 'choices',
            is_required: false,
            minimum: 1,
            options: [
              { id: 'a', label: 'Color a' },
              { id: 'b', label: 'Color b' },
            ],
          },
          {
            name: 'mail',
            label: 'mail',
            kind: 'text',
            is_required: false,
            maximum: 50,
            description: 'Format: email',
          },
        ],
      },
    ]);
  });

  it('is canceled if no one answers it', async () => {
    const { response } = await fillIn({ properties, required });
    expect(response).toEqual({ action: 'cancel' });
  });
});

describe('a number', () => {
  const whole = { properties: { n: { type: 'integer', minimum: 1, maximum: 9 } } };

  it('is asked for again, with a hint', async () => {
    const { asked, response } = await fillIn(whole, text('many'), text('2.5'), text(' 2 '));
    expect(response).toEqual({ action: 'accept', content: { n: 2 } });
    expect(asked[1]?.text).toBe('Deploy\nEnter a whole number, at least 1, at most 9.');
  });

  it.each(['', ' ', '0', '10', 'Infinity', 'NaN', '1,5'])('is not %j', async (given) => {
    const wrong = text(given);
    expect((await fillIn(whole, wrong, wrong, wrong)).response).toEqual({ action: 'cancel' });
  });

  it('can have decimals', async () => {
    const { response } = await fillIn({ properties: { n: { type: 'number' } } }, text('-0.5'));
    expect(response).toEqual({ action: 'accept', content: { n: -0.5 } });
  });
});

describe('a form that people cannot fill in', () => {
  const list = { type: 'array', items: { type: 'object' } };
  const many = Object.fromEntries(
    Array.from({ length: 11 }, (_, n) => [`f${n}`, { type: 'string' }]),
  );

  it.each<[string, Schema]>([
    ['a required list', { properties: { a: { type: 'string' }, list }, required: ['list'] }],
    ['only a list', { properties: { list } }],
    ['no fields', { properties: {} }],
    ['eleven fields', { properties: many }],
  ])('is declined: %s', async (_what, schema) => {
    const { asked, response } = await fillIn(schema, text('a'));
    expect(response).toEqual({ action: 'decline' });
    expect(asked).toEqual([]);
  });

  it('is asked without an optional list', async () => {
    const { response } = await fillIn({ properties: { a: { type: 'string' }, list } }, text('x'));
    expect(response).toEqual({ action: 'accept', content: { a: 'x' } });
  });
});
