import { expect, it } from 'vitest';
import { repeatOfRun } from '../../../src/slack/run-again/repeat.ts';
import { aRun } from '../../support/builders.ts';

const linked = (session_link: string) =>
  repeatOfRun(
    { run: aRun({ run_id: 'run-1', session_link }), connectionId: 'default' },
    { teamId: 'T1', connection: 'default' },
  ).origin.again;

it("keeps the link to an earlier run, unless it's too long to show", () => {
  const link = 'https://runs.example/s/1';
  expect(linked(link)).toEqual({ runId: 'run-1', link });
  expect(linked(`${link}?token=${'x'.repeat(2_900)}`)).toEqual({ runId: 'run-1' });
});
