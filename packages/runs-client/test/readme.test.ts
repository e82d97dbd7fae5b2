import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createRunsClient } from '../src/index.ts';

it('names every call of the client', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const client = createRunsClient({ baseUrl: 'https://runs.example.com/api/v1', apiKey: 'key' });
  onTestFinished(() => client.close());
  const groups = ['runs', 'artifacts', 'schedules', 'environments', 'agents'] as const;
  const calls = groups.flatMap((group) =>
    Object.keys(client[group]).map((name) => `${group}.${name}`),
  );
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter((call) => !text.includes(call))).toEqual([]);
});
