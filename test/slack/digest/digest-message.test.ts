import { expect, it } from 'vitest';
import { renderDigest } from '../../../src/slack/digest/digest-message.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product/product.ts';

const ended = (id: string, number: number, state?: string, review?: string) =>
  aRequest({
    id,
    step: 'ended',
    run: aRun({
      state: 'SUCCEEDED',
      artifacts: [
        {
          artifact_type: 'PULL_REQUEST',
          data: { url: `https://github.com/acme/shop/pull/${number}`, state, review },
        },
      ],
    }),
  });

it('a digest counts the pull requests that wait for review, each once', () => {
  const all = [
    ended('a', 1, 'open'),
    ended('b', 1, 'open'),
    ended('c', 2),
    ended('d', 3, 'draft'),
    ended('e', 4, 'merged'),
    ended('f', 5, 'closed'),
    ended('g', 6, 'open', 'approved'),
    ended('h', 7, 'open', 'required'),
  ];
  const { text = '', blocks } = renderDigest(all, new Map()) ?? {};
  expect(text).toContain('✅ 8 succeeded  ·  👀 3 pull requests need review');
  const list = blocks?.map(textOf).find((block) => block.includes('*Pull requests to review*'));
  expect(list).toContain('acme/shop#1>  ·  open');
  expect(list).toContain('acme/shop#2>');
  expect(list).toContain('acme/shop#7>  ·  open  ·  review required');
  expect(list).not.toMatch(/#[3456]/);
});

it.each([
  [[], ''],
  [[true], '  ·  👍 rated good once'],
  [[false, true, true], '  ·  👍 rated good 2 times  ·  👎 rated bad once'],
])('a digest counts the ratings %j', (all, said) => {
  const ratings = all.map((isGood, index) => ({ userId: `U${index}`, isGood }));
  const { text } = renderDigest([ended('a', 1, 'merged')], new Map(), ratings) ?? {};
  expect(text).toBe(`Daily digest of agent runs: ✅ 1 succeeded${said}`);
});

it('a digest says nothing about pull requests when none waits', () => {
  expect(renderDigest([ended('a', 1, 'merged')], new Map())?.text).not.toContain('review');
});

it.each([
  ['not_started', 'unprocessable'],
  ['ended', 'cannot_post'],
] as const)(
  'a digest counts a request in %s for %s as not started, with the reason',
  (step, code) => {
    const problem = { code, message: '', since: 1 };
    const rejected = aRequest({ title: 'Nothing ran', step, run: null, problem });
    const { text, blocks } = renderDigest([rejected], new Map()) ?? {};
    expect(text).toBe('Daily digest of agent runs: ⚠️ 1 not started');
    expect(textOf(blocks)).toMatch(/\*Not started\*.*Nothing ran.*Not started: The /);
  },
);

it('a digest names the runs that it counts as unknown', () => {
  const gone = { code: 'gone', message: '', since: 1 };
  const lost = aRequest({ title: 'Where is it', step: 'ended', problem: gone });
  const { text, blocks } = renderDigest([lost], new Map()) ?? {};
  expect(text).toContain('❔ 1 unknown');
  expect(textOf(blocks)).toMatch(/\*Unknown\*.*Where is it/);
});

const spent = (micros: number, incompleteRuns = 0) => ({ micros, incompleteRuns });
const costing = (id: string, cost: number) =>
  aRequest({
    id,
    title: id,
    step: 'ended',
    run: aRun({ state: 'SUCCEEDED', request_usage: { inference_cost_usd: cost } }),
  });

it('a digest compares what was spent with the week before, and names the most expensive run', () => {
  const shown = (week: number, before: number, incomplete = 0) =>
    textOf(
      renderDigest([costing('Cheap', 0.2), costing('Dear', 3)], new Map(), [], {
        week: spent(week, incomplete),
        before: spent(before),
      })?.blocks,
    );
  expect(shown(12_300_000, 10_000_000)).toContain(
    'Spent in the last 7 days: *$12.30*, in the 7 days before: $10.00\\nMost expensive run of this digest: *$3.00*  Dear"',
  );
  expect(shown(0, 1_000)).toContain('*$0.00*, in the 7 days before: under $0.01');
  expect(shown(1_000_000, 0, 2)).toContain(
    '*$1.00* (2 runs without a full price), in the 7 days before: $0.00',
  );
  expect(shown(0, 0)).not.toContain('Spent');
});

const byAutomation = (id: string, name: string, state: string) =>
  aRequest({
    id,
    title: `Run ${id}`,
    step: 'ended',
    origin: {
      kind: 'automation',
      automation: { id: 'a1', name, firingId: `a1 ${id}`, trigger: 'schedule' },
    },
    run: aRun({ state, request_usage: { inference_cost_usd: 0.5 } }),
  });

it('a digest sums up the runs of each automation, and lists only those that failed', () => {
  const all = [
    byAutomation('c', 'Nightly *check*', 'SUCCEEDED'),
    byAutomation('b', 'Old name', 'FAILED'),
    byAutomation('a', 'Old name', 'SUCCEEDED'),
    aRequest({ id: 'd', title: 'Typed', step: 'ended', run: aRun({ state: 'SUCCEEDED' }) }),
  ];
  const { blocks = [] } = renderDigest(all, new Map([['U1', 'Ada']])) ?? {};
  const lists = blocks.map(textOf);
  const list = (heading: string) => lists.find((block) => block.includes(`*${heading}*`)) ?? '';
  expect(list('Automations')).toContain(
    '•  *Nightly check*  ·  ✅ 2 succeeded  ·  ❌ 1 failed  ·  $1.50',
  );
  expect(list('Failed')).toContain('Run b  ·  by automation *Old name*, for Ada  ·  Failed');
  expect(list('Finished')).toContain('Typed');
  expect(list('Finished')).not.toContain('Run ');
});
