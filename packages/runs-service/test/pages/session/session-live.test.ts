import { expect, it } from 'vitest';
import { followSession } from '../../../src/pages/session/session-live.ts';

/** Returns the events for a page with this version. The run has version 2 at first, and then ends. */
async function eventsAfter(version: number): Promise<string[]> {
  const polls = [
    { updatedAt: 2, ended: false },
    { updatedAt: 3, ended: true },
  ];
  const events = followSession({
    outputFile: '/dev/null',
    from: 0,
    version,
    poll: async () => polls.shift(),
    signal: new AbortController().signal,
  });
  const names: string[] = [];
  for await (const text of events) names.push(...(/^event: (\w+)$/m.exec(text)?.slice(1) ?? []));
  return names;
}

it.each([
  ['changed after the page was sent, such as by a question', 1, ['changed', 'end']],
  ["hasn't changed since", 2, ['end']],
  ['is shown by a page without a version', Number.NaN, ['changed', 'end']],
])('a live page of a run that %s', async (_, version, expected) => {
  expect(await eventsAfter(version)).toEqual(expected);
});
