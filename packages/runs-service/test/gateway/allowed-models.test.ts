import { expect, it } from 'vitest';
import { allowedModels } from '../../src/gateway/allowed-models.ts';

const vendor = { name: 'anthropic', api: 'anthropic' } as const;
const router = { name: 'router', api: 'openai', base_url: 'https://llm.example.org/v1' } as const;

it.each([
  ['all', vendor, undefined, undefined],
  ['those of the file', { ...vendor, allowed: ['a'] }, undefined, ['a']],
  ['those of both', { ...vendor, allowed: ['a', 'b'] }, ['b', 'c'], ['b']],
  ['an ID', vendor, ['a'], ['a']],
  ["an ID after the provider's name", vendor, ['anthropic/a', 'a'], ['a']],
  ['the same with another name', { ...vendor, name: 'eu' }, ['eu/a', 'anthropic/b'], ['a', 'b']],
  ["Google's name", { name: 'gemini', api: 'gemini' } as const, ['google/a'], ['a']],
  ["another provider's model", { ...vendor, allowed: ['a'] }, ['openai/a'], []],
  ['an ID with a slash', { ...router, allowed: ['openai/a'] }, ['openai/a'], ['openai/a']],
  ['the same after the name', router, ['router/openai/a'], ['openai/a', 'router/openai/a']],
])('allows %s', (_, provider, models, ids) => {
  expect(allowedModels(provider, { models })).toEqual(ids);
});
