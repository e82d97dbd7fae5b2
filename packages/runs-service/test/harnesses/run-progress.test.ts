import { describe, expect, it } from 'vitest';
import { createRunProgress } from '../../src/harnesses/run-progress.ts';
import type { AgentStep } from '../../src/harnesses/steps/agent-step.ts';

function progressOf(...steps: AgentStep[]) {
  let time = 0;
  const progress = createRunProgress({
    clean: (text) => text.replaceAll('hunter22', '[secret]'),
    now: () => (time += 1_000),
  });
  for (const step of steps) progress.add(step);
  return progress;
}

const part = (text: string, id?: string): AgentStep => ({
  kind: 'text',
  text,
  part: true,
  ...(id !== undefined && { id }),
});
const call = (id: string, input = 'npm test'): AgentStep => ({
  kind: 'call',
  id,
  name: 'Bash',
  input,
});

describe('the answer of an agent', () => {
  const cases: [name: string, steps: AgentStep[], answer: string | undefined][] = [
    [
      'is its last message',
      [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
      'b',
    ],
    ['joins the pieces of a message', [part('a'), part('b')], 'ab'],
    ['starts over after a tool call', [part('I look'), call('1'), part('Found')], 'Found'],
    ['starts over with another message', [part('a', '1'), part('b', '2')], 'b'],
    ['stays if the agent says nothing after a tool call', [part('a'), call('1')], 'a'],
    ['is absent without a message', [call('1')], undefined],
    ['is absent if the agent prints white space', [part(' \n')], undefined],
    ['is masked, even if a secret is split', [part('hunt'), part('er22')], '[secret]'],
  ];
  it.each(cases)('%s', (_name, steps, answer) => {
    expect(progressOf(...steps).read().answer).toBe(answer);
  });

  it('is the last paragraph of a script that sends no messages', () => {
    const progress = progressOf();
    for (const line of ['working', '', '3 files', '7 lines', '', ' ']) progress.print(line);
    expect(progress.answer()).toBe('3 files\n7 lines');
    progress.add({ kind: 'text', text: 'Said.' });
    expect(progress.answer()).toBe('Said.');
  });

  it('is what a script prints between markers, the last time', () => {
    const progress = progressOf();
    const print = (...lines: string[]) => lines.map((line) => progress.print(line));
    print(
      '<answer>',
      'old',
      '</answer>',
      'working',
      ' <answer> ',
      'All **12** pass.',
      '',
      'hunter22',
    );
    expect(progress.answer()).toBe('All **12** pass.\n\n[secret]');
    print('</answer>', '', 'Took 3 s');
    expect(progress.answer()).toBe('All **12** pass.\n\n[secret]');
    progress.add({ kind: 'text', text: 'Said.' });
    expect(progress.answer()).toBe('Said.');
  });

  it('has a limit', () => {
    const progress = progressOf(part('x'.repeat(90_000)), part('y'.repeat(900_000)), part('z'));
    expect([...(progress.answer() ?? '')]).toHaveLength(100_000);
  });
});

describe('the tool calls of an agent', () => {
  it('have a duration and an outcome, also when they overlap', () => {
    const progress = progressOf(
      call('1', 'one'),
      call('2', 'two'),
      { kind: 'result', id: '1', ok: false, text: '' },
      { kind: 'result', ok: true, text: '' },
      call('3', 'three'),
    );
    const calls = progress.read().tool_calls;
    expect(calls).toMatchObject([
      { input: 'one', state: 'failed', run_time: 'PT2S' },
      { input: 'two', state: 'completed', run_time: 'PT2S' },
      { name: 'Bash', input: 'three', state: 'in_progress' },
    ]);
    expect(calls?.[2]).not.toHaveProperty('run_time');
  });

  it('are updated by a call with the same id', () => {
    const calls = progressOf(call('1', 'Terminal'), call('1', 'npm test')).read().tool_calls;
    expect(calls).toMatchObject([{ input: 'npm test' }]);
  });

  it('end with the agent', () => {
    const progress = progressOf(call('1'));
    progress.end(false);
    expect(progress.read()).toMatchObject({ tool_calls: [{ state: 'failed' }] });
    expect(progress.read()).not.toHaveProperty('step');
  });

  it('are the newest 50', () => {
    const calls = progressOf(...Array.from({ length: 60 }, (_, n) => call(`${n}`, `call ${n}`)));
    expect(calls.read().tool_calls).toHaveLength(50);
    expect(calls.read().tool_calls?.[0]?.input).toBe('call 10');
  });
});

describe('the current step of an agent', () => {
  const plan: AgentStep = {
    kind: 'plan',
    items: [
      { title: 'Look around', state: 'completed' },
      { title: 'Fix it', state: 'in_progress' },
    ],
  };

  it('is its running tool call, or else the item of its plan', () => {
    expect(progressOf(plan).read().step).toBe('Fix it');
    expect(progressOf(plan, call('1')).read().step).toBe('Bash npm test');
  });

  it('is cut and on one line', () => {
    const step = progressOf(call('1', `a\n${'😀'.repeat(2_000)}`)).read().step ?? '';
    expect([...step]).toHaveLength(300);
    expect(step).not.toContain('\n');
  });

  it('comes from a plan with a limit', () => {
    const items = Array.from({ length: 1_000 }, () => ({ title: 'x', state: 'pending' as const }));
    expect(progressOf({ kind: 'plan', items }).read().plan).toHaveLength(50);
  });
});

describe('the usage', () => {
  it('is a sum of what is reported, unless that is a total', () => {
    const progress = progressOf(
      { kind: 'usage', usage: { tokens: 5 } },
      { kind: 'end', ok: true, text: '', usage: { tokens: 5 } },
      { kind: 'usage', isTotal: true, usage: { costUsd: 0.5 } },
      { kind: 'usage', isTotal: true, usage: { costUsd: 0.75 } },
    );
    expect(progress.usage()).toEqual({ costUsd: 0.75, tokens: 10 });
  });
});
