import { expect, it } from 'vitest';
import { requestLabel } from '../../../../src/slack/runs/showing/run-label.ts';
import { aRequest, aRun } from '../../../support/builders.ts';

it("doesn't call a request queued whose message can't be posted", () => {
  const problem = { code: 'cannot_post', message: 'not_in_channel', since: 1 };
  const request = aRequest({ step: 'ended', problem, run: null });
  expect(requestLabel(request).word).toBe('Not started');
});

it('says how a run ended', () => {
  const request = aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) });
  expect(requestLabel(request).word).toBe('Succeeded');
});

it('calls a run starting until its service says more, as when it was posted', () => {
  const words = (['accepted', 'posted', 'following'] as const).map(
    (step) => requestLabel(aRequest({ step, run: null })).word,
  );
  expect(words).toEqual(['Starting', 'Starting', 'Starting']);
});
