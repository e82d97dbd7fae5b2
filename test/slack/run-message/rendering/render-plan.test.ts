import type { PlanBlock } from '@slack/types';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { describe, expect, it } from 'vitest';
import { plainRunMessage } from '../../../../src/slack/run-message/fallback-message.ts';
import { renderRunMessage } from '../../../../src/slack/run-message/render-run-message.ts';
import { aRequest, aRun, stepOfTomorrow } from '../../../support/builders.ts';
import { textOf } from '../../../support/product/product.ts';

type Changes = Parameters<typeof aRequest>[0];

/** Builds a plan from one letter per step: d is done, n is in progress, others are pending. */
const planOf = (states: string) =>
  [...states].map((letter, index) => ({
    title: `Part ${index + 1}`,
    state: { d: 'completed', n: 'in_progress' }[letter] ?? 'pending',
  }));

const messageOf = (states: string, changes: Changes = {}, run: Parameters<typeof aRun>[0] = {}) =>
  renderRunMessage(
    aRequest({ run: aRun({ agent_progress: { plan: planOf(states) }, ...run }), ...changes }),
  );

const blockOf = (...given: Parameters<typeof messageOf>): PlanBlock | undefined =>
  messageOf(...given).blocks.find((block) => block.type === 'plan');

describe('the plan of a run in progress', () => {
  it.each([
    ['dn-', 'Step 2 of 3: Part 2'],
    ['n--', 'Step 1 of 3: Part 1'],
    ['-nn', 'Step 2 of 3: Part 2'],
    ['d--', '1 of 3 steps done'],
    ['ddd', '3 of 3 steps done'],
    ['n', 'Step 1 of 1: Part 1'],
  ])('%s has the title "%s"', (states, title) => {
    expect(blockOf(states)?.title).toBe(title);
  });

  it.each([
    ['dn-', '1complete 2in_progress 3pending'],
    [`${'d'.repeat(12)}n-`, '5 6 7 8 9 10 11 12 13 14'],
    [`${'d'.repeat(12)}`, '3 4 5 6 7 8 9 10 11 12'],
    [`n${'-'.repeat(20)}`, '1 2 3 4 5 6 7 8 9 10'],
    [`ddd${'-'.repeat(8)}d`, '3 4 5 6 7 8 9 10 11 12'],
  ])('%s shows what is not done and what was done last', (states, shown) => {
    const tasks = (blockOf(states)?.tasks ?? []) as { task_id: string; status: string }[];
    expect(tasks.length).toBeLessThanOrEqual(10);
    const ids = tasks.map(({ task_id: id, status }) => (shown.includes('pend') ? id + status : id));
    expect(ids.join(' ')).toBe(shown);
  });

  it('stays open for readers: its id is the same in every update', () => {
    expect(blockOf('n-')?.block_id).toBe(blockOf('dn')?.block_id);
  });

  it.each([
    ['needs input', {}, { state: 'BLOCKED' }],
    ['is no longer followed', { unfollowedAt: 1 }, {}],
    ['is in a step that only a newer version knows', { step: stepOfTomorrow }, {}],
  ])('is also shown when the run %s', (_, changes, run) => {
    expect(blockOf('n', changes, run)?.title).toBe('Step 1 of 1: Part 1');
  });

  it('keeps texts as they are, on one line, without secrets', () => {
    const plan = ['<!channel> *a*\n\u202eb', 'password=hunter2hunter2', '', 'x'.repeat(999)];
    const items = plan.map((title) => ({ title, state: 'pending' }));
    const run = aRun({ agent_progress: { plan: items } });
    const { blocks } = renderRunMessage(aRequest({ run }));
    const shown = blocks.find((block) => block.type === 'plan')?.tasks ?? [];
    expect(shown.map(({ title }) => title)).toEqual([
      '<!channel> *a* b',
      expect.stringContaining('[masked'),
      'Untitled step',
      `${'x'.repeat(149)}…`,
    ]);
  });
});

describe('the plan of a run that has ended', () => {
  it.each(['SUCCEEDED', 'FAILED', 'CANCELLED'])('%s is one fact in the last line', (state) => {
    const message = messageOf('ddn', { step: 'ended' }, { state });
    expect(message.blocks.map(({ type }) => type)).not.toContain('plan');
    expect(textOf(message)).toContain('  ·  Plan: 2 of 3 steps"');
  });

  it('is not mentioned if there was none', () => {
    expect(textOf(messageOf('', { step: 'ended' }, { state: 'SUCCEEDED' }))).not.toContain('Plan');
  });
});

describe('the plain run message', () => {
  it('has the plan in words, escaped, and no new blocks', () => {
    const plan = planOf('dn-').map((item) => ({ ...item, title: `${item.title} <!here> & *b*` }));
    const message = renderRunMessage(aRequest({ run: aRun({ agent_progress: { plan } }) }));
    const plain = plainRunMessage(message);
    expect(plain.blocks.map(({ type }) => type)).toEqual(
      message.blocks.map(({ type }) => (type === 'plan' ? 'section' : type)),
    );
    expect(textOf(plain)).toContain(
      [
        '*Step 2 of 3: Part 2 &lt;!here&gt; &amp; *b**',
        '✅ Done: Part 1 &lt;!here&gt; &amp; *b*',
        '▶️ Now: Part 2 &lt;!here&gt; &amp; *b*',
        '⏳ To do: Part 3 &lt;!here&gt; &amp; *b*',
      ].join('\\n'),
    );
  });

  it('fits, however long the steps are', () => {
    const title = '&'.repeat(300);
    const plan = Array.from({ length: 50 }, () => ({ title, state: 'pending' }));
    const message = renderRunMessage(aRequest({ run: aRun({ agent_progress: { plan } }) }));
    const { text, blocks } = plainRunMessage(message);
    expect(validateMessage({ text, blocks }, { method: 'chat.update' })).toEqual([]);
  });
});
