import { describe, expect, it } from 'vitest';
import { answerSearch } from '../../../src/slack/text/form-inputs.ts';

const all = Array.from({ length: 412 }, (_, index) => ({
  id: `env-${index}`,
  name: `Env ${index}`,
}));

const search = (query: string, changes: Partial<Parameters<typeof answerSearch>[1]> = {}) =>
  answerSearch(query, { noun: 'things', recents: [], all, isKnown: true, ...changes });

const values = (answer: ReturnType<typeof answerSearch>) =>
  'option_groups' in answer
    ? answer.option_groups.flatMap(({ options }) => options.map(({ value }) => value))
    : [];

const labels = (answer: ReturnType<typeof answerSearch>) =>
  'option_groups' in answer ? answer.option_groups.map(({ label }) => label.text) : [];

describe('the answer to a search', () => {
  it('says how many there are if it cannot show them all', () => {
    const answer = search('', { recents: [{ label: 'Here', ids: ['env-7'] }] });
    expect(labels(answer)).toEqual(['Here', 'First 100 of 412, type to narrow']);
  });

  it('names the list by what it contains', () => {
    const few = all.slice(0, 3);
    const recents = [{ label: 'Here', ids: ['env-1'] }];
    expect(labels(search('', { all: few }))).toEqual(['All things']);
    expect(labels(search('env', { all: few }))[0]).toBe('All things matching "env"');
    expect(labels(search('', { all: few, recents }))[1]).toBe('All other things');
    expect(labels(search('env', { all: few, recents }))[1]).toBe('All other things matching "env"');
  });

  it('finds by id and by name, and never offers one twice', () => {
    const answer = search('ENV 41', { recents: [{ label: 'Here', ids: ['env-41'] }] });
    const found = values(answer);
    expect(found[0]).toBe('env-41');
    expect(new Set(found).size).toBe(found.length);
    expect(found).toContain('env-410');
  });

  it('shows recently used values first, each only once, and only matching ones', () => {
    const recents = [
      { label: 'Here', ids: ['env-3', 'own', 'env-3'] },
      { label: 'By you', ids: ['own', 'env-3'] },
      { label: 'By others', ids: ['env-3', 'theirs'] },
    ];
    const answer = search('', { recents, all: [] });
    expect(values(answer)).toEqual(['env-3', 'own', 'theirs']);
    expect(labels(answer)).toEqual(['Here', 'By others']);
    expect(values(search('the', { recents, all: [] }))).toEqual(['theirs', 'the']);
  });

  it('offers what was typed, unless it is listed or too long for Slack', () => {
    expect(labels(search('new', { all: [] }))).toEqual(['Other ID']);
    expect(labels(search('env-1'))).not.toContain('Other ID');
    expect(search('y'.repeat(151), { all: [] })).toEqual({ options: [] });
  });

  it('says so if the service has not answered', () => {
    const [label] = labels(search('new', { all: [], isKnown: false }));
    expect(label).toContain("The list of things isn't available");
  });
});
