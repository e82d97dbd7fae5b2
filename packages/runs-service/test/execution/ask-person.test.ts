import { expect, it, onTestFinished } from 'vitest';
import { createAskPerson } from '../../src/execution/ask-person.ts';

const question = (id = 'yes') => ({
  text: 'Go on?',
  acceptsText: false,
  options: [{ id, label: 'Yes', kind: 'allow_once' }],
});

/** Asks questions in a run where nobody answers. */
function unattended(question_seconds: number, onAsk: () => Promise<void> = async () => {}) {
  const asked: { text: string; options: { id: string }[] }[] = [];
  const closed: string[] = [];
  const clock = { paused: 0 };
  const canceling = new AbortController();
  const context = {
    run: { id: 'r' },
    environment: { question_seconds },
    hidden: [],
    clock: {
      pause: () => {
        clock.paused += 1;
      },
      resume: () => {
        clock.paused -= 1;
      },
    },
    signal: canceling.signal,
  };
  const questions = {
    ask: async (_run: string, each: (typeof asked)[number], signal: AbortSignal) => {
      asked.push(each);
      await onAsk();
      return !signal.aborted;
    },
    answerOf: async () => (closed.length === asked.length ? null : undefined),
    close: async (_run: string, _id: string, note: string, signal: AbortSignal) => {
      if (!signal.aborted) closed.push(note);
    },
  };
  const people = createAskPerson(questions, context);
  onTestFinished(() => canceling.abort());
  return { people, asked, closed, clock, cancel: () => canceling.abort() };
}

it('a question ends with its agent, not at its deadline', async () => {
  const { people, closed, clock } = unattended(3_600);
  const answer = people.ask(question());
  await expect.poll(() => clock.paused).toBe(1);
  await people.close();
  expect(await answer).toBeUndefined();
  expect(closed).toEqual(["The agent doesn't wait for an answer anymore"]);
  expect(clock.paused).toBe(0);
  expect(await people.ask(question())).toBeUndefined();
});

it('a question that is on its way when its agent ends is closed once it has arrived', async () => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { people, asked, closed } = unattended(3_600, () => arrived);
  const answer = people.ask(question());
  await expect.poll(() => asked.length).toBe(1);
  const closing = people.close();
  arrive();
  await closing;
  expect(await answer).toBeUndefined();
  expect(closed).toEqual(["The agent doesn't wait for an answer anymore"]);
});

it('a canceled run says nothing about its question', async () => {
  const { people, closed, cancel, clock } = unattended(3_600);
  const answer = people.ask(question());
  await expect.poll(() => clock.paused).toBe(1);
  cancel();
  expect(await answer).toBeUndefined();
  await people.close();
  expect(closed).toEqual([]);
});

it('an agent whose questions no one answers does not wait for each of them', async () => {
  const { people, asked } = unattended(0.001);
  await Promise.all(Array.from({ length: 20 }, () => people.ask(question())));
  expect(asked).toHaveLength(3);
});

it('a question is safe to show: its text is cut, and an option with a huge id is left out', async () => {
  const { people, asked } = unattended(0.001);
  await people.ask({ ...question('x'.repeat(10_000)), text: `\u202e${'x'.repeat(50_000)}` });
  expect(asked[0]?.options).toEqual([]);
  expect(asked[0]?.text).toMatch(/^x+…$/);
  expect([...(asked[0]?.text ?? '')]).toHaveLength(2_000);
});
