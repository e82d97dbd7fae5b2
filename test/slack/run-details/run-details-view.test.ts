import { expect, it } from 'vitest';
import { detailsOfRequest } from '../../../src/slack/run-details/detailed-run.ts';
import { feedbackFacts, renderDetails } from '../../../src/slack/run-details/run-details-view.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product/product.ts';

const overviewOf = (changes: Parameters<typeof aRequest>[0]) =>
  textOf(renderDetails(detailsOfRequest(aRequest(changes))));

it('shows the whole reason of a run that was not started, which its message may cut', () => {
  const message = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n');
  const problem = { code: 'unprocessable', message, since: 1 };
  const shown = overviewOf({ step: 'not_started', run: null, runId: null, problem });
  expect(shown).toContain('configuration');
  expect(shown).toContain('line 39');
});

const good = { userId: 'U1', isGood: true };
const bad = { userId: 'U2', isGood: false };
it.each([
  [[], undefined],
  [[good, bad], '*Feedback*\\nRatings: 1 good, 1 bad\\nYours: good"'],
  [[bad, { ...bad, userId: 'U3' }], '*Feedback*\\nRatings: 0 good, 2 bad"'],
])('counts what people said of the result, and says what the reader did: %j', (ratings, said) => {
  const feedback = feedbackFacts(ratings, 'U1');
  const shown = textOf(renderDetails(detailsOfRequest(aRequest()), feedback));
  if (said === undefined) expect(shown).not.toContain('Feedback');
  else expect(shown).toContain(said);
});

it('shows the thread below the prompt that it was sent with', () => {
  const request = aRequest({ prompt: 'Explain this', context: 'Ada:\n> password=hunter2hunter2' });
  const shown = textOf(renderDetails(detailsOfRequest(request)));
  expect(shown).toMatch(/Explain this.*Sent with it from Slack.*Ada:.*\[masked secret 1\]/);
});

it('says what was sent with the prompt', () => {
  const context = { messages: 4, left: 2, characters: 1_204, masked: 1 };
  const shown = overviewOf({ origin: { kind: 'mention', context } });
  expect(shown).toContain('4 of 6 messages of the thread (1,204 characters), 1 masked secret');
});

it('says the state once, and the last known one of a run that its service no longer knows', () => {
  const run = aRun({ state: 'INPROGRESS' });
  expect(overviewOf({ step: 'following', run })).not.toContain('state');
  const problem = { code: 'gone', message: '', since: 1 };
  const shown = overviewOf({ step: 'ended', run, problem });
  expect(shown).toMatch(/Unknown.*Last known state: In progress/);
});

it('has headings for usage, the error and pull requests, in this order', () => {
  const run = aRun({
    state: 'FAILED',
    status_message: { message: 'exit code 1', error_code: 'environment_setup_failed' },
    request_usage: { total_tokens: 1_200 },
    artifacts: [{ artifact_type: 'PULL_REQUEST', data: { number: 12 } }],
  });
  expect(overviewOf({ step: 'ended', run })).toMatch(
    /\*Error\*\\nCode: environment_setup_failed.*exit code 1.*\*Pull requests\*.*\*Usage\*/,
  );
});
