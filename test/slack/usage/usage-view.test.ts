import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import { renderUsageModal } from '../../../src/slack/usage/usage-modal.ts';
import { renderUsage } from '../../../src/slack/usage/usage-view.ts';
import { hostileTexts } from '../../hostile/hostile-texts.ts';
import { sent } from '../../hostile/sent-payload.ts';
import { textOf } from '../../support/product/product.ts';
import { aUsage, busyWeek, noSpending } from './a-usage.ts';

const shown = (changes: Parameters<typeof aUsage>[0] = {}) =>
  textOf(renderUsage(aUsage(changes), 'typed').blocks);

it('says the total first, and then what has no price', () => {
  const { text, blocks } = renderUsage(aUsage(), 'typed');
  expect(text).toBe('Spent in the last 7 days: $48.20');
  expect(textOf(blocks[0])).toContain(
    [
      "Everyone's runs cost *$48.20* in the last 7 days.",
      '61 runs  ·  31,204,118 tokens',
      '⚠️ Some costs are unknown: 3 runs without a full price, 1 run without a reported cost.',
    ].join('\\n'),
  );
});

it('draws bars of one width, longest first, with what is not listed in one line', () => {
  const bars = renderUsage(aUsage(), 'typed').blocks.flatMap((block) => {
    const [, text] =
      /"rich_text_preformatted","elements":\[\{"type":"text","text":"([^"]+)"/.exec(
        textOf(block),
      ) ?? [];
    return text === undefined ? [] : [text.split('\\n')];
  });
  expect(bars).toEqual([
    [
      '  $31.10  ██████████  claude-opus-5-5',
      '   $9.04  ███         gpt-6.1-sol',
      '   $4.90  ██          claude-haiku-4-5',
      '  <$0.01  █           gemini-3.5-flash',
      'no price              acme/own-model-70b',
      '   $3.16  █           other costs',
    ],
    [
      '$30.00  ██████████  Ada Lovelace',
      '$12.20  ████        Grace Hopper',
      ' $4.00  █           Alan Turing',
      ' $1.00  █           U05',
      ' $0.50  █           U06',
      ' $0.50  █           2 others',
    ],
    ['$40.00  ██████████  shop', ' $8.20  ██          default environment'],
  ]);
});

it('links the most expensive runs, and names their creators without one person asked for', () => {
  expect(shown()).toContain(
    '•  *$9.40*  <https://acme.slack.com/archives/C1/p1760000000000100|Move the checkout to the new payment API>  ·  <@U04ADALOVEL>',
  );
  expect(shown()).toContain('•  *$3.30*  Update all dependencies  ·');
  const mine = shown({ question: { scope: { of: 'me' }, days: 30 } });
  expect(mine).toContain('Your runs cost *$48.20* in the last 30 days.');
  expect(mine).not.toMatch(/By person|<@/);
});

it('gives an admin the whole total, with one sum for what they cannot see', () => {
  expect(shown()).toContain('Includes only conversations that you can see.');
  const forAdmin = shown({ hiddenMicros: 12_000_000 });
  expect(forAdmin).toContain("Everyone's runs cost *$60.20*");
  expect(forAdmin).toContain("*$12.00* of it is from conversations that you can't see.");
  expect(forAdmin).toContain('The lists include only conversations that you can see.');
  expect(shown({ hiddenMicros: 0 })).not.toContain('that you can');
});

it.each([
  [{ of: 'me' }, "You didn't start runs in the last 7 days."],
  [{ of: 'everyone' }, 'There are no runs in the last 7 days that you can see.'],
  [{ of: 'person', userId: 'U2' }, 'There are no runs by <@U2> in the last 7 days that you can'],
  [{ of: 'channel', channelId: 'C2' }, 'There are no runs in <#C2> in the last 7 days that you'],
] as const)('says that there is nothing for %j', (scope, sentence) => {
  const said = shown({ question: { scope, days: 7 }, report: noSpending });
  expect(said).toContain(sentence);
  expect(said).toContain('30d`');
});

it('says what it knows of runs without any cost', () => {
  const report = { ...noSpending, runs: 2, unreportedRuns: 2 };
  expect(shown({ report })).toContain(
    "Everyone's runs cost *$0.00* in the last 7 days.\\n2 runs\\n⚠️ Some costs are unknown: 2 runs without a reported cost.",
  );
});

describe.each(hostileTexts)('a text of %s', (_, text) => {
  it('makes usage that Slack takes', () => {
    const report = {
      ...busyWeek,
      byModel: busyWeek.byModel.map((each) => ({ ...each, model: text, micros: 1e15 })),
      byEnvironment: busyWeek.byEnvironment.map((each) => ({ ...each, id: text })),
      mostExpensive: busyWeek.mostExpensive.map((each) => ({ ...each, title: text })),
    };
    const people = new Map([...aUsage().people].map(([id, each]) => [id, { ...each, name: text }]));
    const links = new Map([['V1', `https://example.com/${text}`]]);
    const usage = aUsage({ report, people, links, hiddenMicros: 1e15 });
    const { blocks, text: said } = renderUsage(usage, 'typed');
    expect(validateMessage(sent({ text: said, blocks }), { method: 'chat.postEphemeral' })).toEqual(
      [],
    );
    for (const of of ['me', 'everyone', 'person', 'channel'] as const) {
      const view = renderUsageModal({ of, days: 30, userId: 'U1' }, blocks);
      expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);
    }
  });
});
