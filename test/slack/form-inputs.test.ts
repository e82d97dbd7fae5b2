import { describe, expect, it } from 'vitest';
import { answerSearch } from '../../src/slack/form-inputs.ts';

const all = Array.from({ length: 412 }, (_, index) => ({
  id: `env-${index}`,
  name: `Env ${index}`,
}));

const labels = (answer: ReturnType<typeof answerSearch>) =>
  'option_groups' in answer ? answer.option_groups.map(({ label }) => label.text) : [];

describe('the answer to a search', () => {
  it('says how many there are when it cannot show them all', () => {
    const answer = answerSearch('', { noun: 'environments', recent: ['env-7'], all });
    expect(labels(answer)).toEqual(['Recently used here', 'First 100 of 411, type to narrow']);
  });

  it('finds by id and by name, and never offers one twice', () => {
    const answer = answerSearch('ENV 41', { noun: 'environments', recent: ['env-41'], all });
    const values =
      'option_groups' in answer
        ? answer.option_groups.flatMap(({ options }) => options.map(({ value }) => value))
        : [];
    expect(values[0]).toBe('env-41');
    expect(new Set(values).size).toBe(values.length);
    expect(values).toContain('env-410');
  });

  it('offers what was typed, unless it is listed, or too long for Slack', () => {
    expect(labels(answerSearch('new', { noun: 'x', recent: [], all: [] }))).toEqual(['By hand']);
    expect(labels(answerSearch('env-1', { noun: 'x', recent: [], all }))).not.toContain('By hand');
    expect(answerSearch('y'.repeat(151), { noun: 'x', recent: [], all })).toEqual({ options: [] });
  });
});
