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

it('shows what a run spent on each model, and the cap that is closest', () => {
  const models = [
    { model: 'large', cost_usd: 1.5, tokens: 1_200, calls: 3, estimated_calls: 1 },
    { model: 'new', tokens: 1 },
  ];
  const cap = { scope: 'channel', name: '#backend', limit_usd: 5, spent_usd: 4.1, per: 'week' };
  const usage = { inference_cost_usd: 1.5, total_tokens: 1_201, models };
  const shown = (request_usage: typeof usage & { tightest_cap?: typeof cap | undefined }) =>
    overviewOf({ step: 'ended', run: aRun({ state: 'SUCCEEDED', request_usage }) });
  const lines = [
    '*Usage*',
    'Tokens and cost: 1,201 tokens, $1.50 (not all have a price)',
    '•  large: $1.50, 1,200 tokens, 3 calls, 1 with an estimated price',
    '•  new: no price, 1 token',
  ];
  const inCap = 'Cap of #backend: $4.10 of $5.00 spent this week';
  expect(shown({ ...usage, tightest_cap: cap })).toContain([...lines, `${inCap}"`].join('\\n'));
  expect(shown(usage)).toContain(`${lines.join('\\n')}"`);
  const ofRun = { scope: 'run', limit_usd: 5, spent_usd: 5, per: 'run' };
  expect(shown({ ...usage, tightest_cap: ofRun as typeof cap })).toContain(
    'Cap of this run: $5.00 of $5.00 spent"',
  );
});

it.each([
  ['person', 'Ada', 3.1, undefined],
  ['person', 'Ada', 4, 'Cap of Ada: $4.00 of $5.00 spent today"'],
  ['person', undefined, 4, 'Cap of the person who started this run: $4.00 of $5.00 spent today"'],
  ['group', '@backend', 3.9, undefined],
  ['workspace', undefined, 3.9, undefined],
  ['workspace', undefined, 5, 'Cap of this workspace: $5.00 of $5.00 spent today"'],
  ['channel', '#backend', 0.1, 'Cap of #backend: $0.10 of $5.00 spent today"'],
  ['environment', 'shop', 0.1, 'Cap of shop: $0.10 of $5.00 spent today"'],
])(
  'shows a cap of a %s (%s) with %d of 5 dollars spent as %j, because some of its runs may be hidden',
  (scope, name, spent_usd, line) => {
    const cap = { scope, ...(name && { name }), limit_usd: 5, spent_usd, per: 'day' };
    const request_usage = { inference_cost_usd: 0.1, tightest_cap: cap };
    const shown = overviewOf({ step: 'ended', run: aRun({ state: 'SUCCEEDED', request_usage }) });
    if (line === undefined) expect(shown).not.toContain('Cap of');
    else expect(shown).toContain(line);
  },
);

it.each([
  ['schedule', undefined, 'from its schedule'],
  ['reaction', 'U2', 'from a reaction by <@U2>'],
  ['message', 'B2', 'from a message'],
  ['test', 'U2', 'from Start now by <@U2>'],
] as const)(
  'say once by which automation a run was requested, and who fired it by a %s',
  (trigger, by, from) => {
    const automation = {
      id: 'a1',
      name: 'Nightly',
      firingId: 'a1 now',
      trigger,
      ...(by && { by }),
    };
    const origin = { kind: 'automation', automation } as const;
    const shown = overviewOf({ creatorId: 'U1', origin });
    expect(shown).toContain(`requested by automation *Nightly*, for <@U1>, ${from}`);
    expect(shown).not.toContain(`${from} by <@B`);
    expect(overviewOf({ creatorId: 'U1' })).toContain('requested by <@U1>');
  },
);
