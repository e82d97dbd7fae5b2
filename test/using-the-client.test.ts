import { format } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
  testKey,
} from '../packages/runs-service/test/support/runs-service.ts';
import { clientEntries, clientGuide, writeExamples } from './support/client-examples.ts';

/** Expected output of each example in the client's README, by heading. */
const prints: Record<string, RegExp> = {
  'Start a run and wait for it': /^(QUEUED\n)?(INPROGRESS\n)*SUCCEEDED\nSUCCEEDED http/,
  'In one call': /^SUCCEEDED .*\n$/,
  Options: /^\d+\n$/,
  Errors: /^not_found 404 Run "no-such-run" doesn't exist\. \S+\n$/,
  'Exactly one run': /^created \S+\n$/,
  Pages: /^(\S+ [A-Z]+ .+\n)+the last page has [12]\n$/,
  Events: /^open \d+\n(reset \d+\n|\S+ QUEUED \S+\n)*$/,
  'Other calls': /^1 environments, 0 agents\n$/,
  'The raw response': /^200 application\/json\S* \S+ 1\n\d+\n$/,
  'Other endpoints': /^\S+\nobject\n$/,
};

it('the README of runs-client names every entry, and its examples print what they should', async () => {
  for (const [name] of clientEntries) expect(clientGuide).toContain(`\`${name}\``);
  const { written, remove } = writeExamples('running-examples');
  onTestFinished(remove);
  expect(written.map(({ title }) => title)).toEqual(Object.keys(prints));
  const { service, begin, until } = await startRunsService({
    environments: [shellEnvironment('true')],
  });
  await until(await begin({ prompt: 'An earlier run' }), 'SUCCEEDED');
  vi.stubEnv('RUNS_API_URL', service.apiUrl);
  vi.stubEnv('RUNS_API_KEY', testKey);
  onTestFinished(() => void vi.unstubAllEnvs());
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  for (const { title, file } of written) {
    log.mockClear();
    await import(file);
    const printed = log.mock.calls.map((words) => `${format(...words)}\n`).join('');
    expect(printed, title).toMatch(prints[title] ?? /^$/);
  }
});
