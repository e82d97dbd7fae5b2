import type { Question } from 'runs-client/contract';
import { describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../src/requests/answer.ts';
import { questionStatus } from '../../../src/slack/question/render-question.ts';
import { openQuestion } from '../../../src/slack/runs/run-question.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const closesAt = Date.parse('2026-11-01T13:00:00Z');
const question: Question = {
  id: 'q1',
  text: 'Which branch?',
  options: [],
  takes_text: true,
  expires_at: new Date(closesAt).toISOString(),
};
const asking = aRequest({ run: aRun({ state: 'BLOCKED', agent_progress: { question } }) });
const postId = openQuestion(asking)?.postId ?? '';
const other = aRun({
  state: 'BLOCKED',
  agent_progress: { question: { ...question, id: 'q2' } },
});
const answered = (outcome: Answer['outcome']) => ({ outcome }) as Answer;

describe('the status of a question', () => {
  const before = closesAt - 1;
  it.each([
    ['open', asking, undefined, before],
    ['closing', asking, undefined, closesAt],
    ['expired', aRequest({ run: aRun() }), undefined, closesAt],
    ['elsewhere', aRequest({ run: aRun() }), undefined, before],
    ['elsewhere', aRequest({ run: other }), undefined, before],
    ['over', aRequest({ step: 'ended', run: aRun({ state: 'CANCELLED' }) }), undefined, before],
    ['sending', asking, answered(null), before],
    ['answered', aRequest({ run: aRun() }), answered('accepted'), closesAt],
    ['late', aRequest({ step: 'ended' }), answered('late'), closesAt],
    ['open', asking, answered('rejected'), before],
  ] as const)('is %s', (status, request, answer, now) => {
    const content = { question, names: [] };
    expect(questionStatus({ postId, content, request, answer }, now)).toBe(status);
  });

  it('stays as its card says it ended', () => {
    const content = { question, names: [], closed: 'expired' as const };
    const later = { postId, content, request: aRequest({ step: 'ended' }), answer: undefined };
    expect(questionStatus(later, before)).toBe('expired');
  });
});

describe('the card of a question', () => {
  const { start, database } = useRunInSlack();
  const cardsOf = ({ all }: Awaited<ReturnType<typeof start>>) =>
    all().filter(({ threadTs }) => threadTs !== undefined);

  it('is due when nobody has answered in time, and says so then', async () => {
    const bot = await start();
    const expires = Date.now() + 60 * 60_000;
    const expires_at = new Date(expires).toISOString();
    bot.block({ agent_progress: { question: { ...question, expires_at } } });
    await bot.works();
    await bot.works();
    const post = database().selectFrom('outbox').select('due_at').where('kind', '=', 'question');
    const { due_at: dueAt } = await post.executeTakeFirstOrThrow();
    expect(Math.abs(Number(dueAt) - expires)).toBeLessThan(30 * 60_000);
    vi.useFakeTimers({ toFake: ['Date'], now: expires });
    await bot.works();
    vi.useRealTimers();
    expect(JSON.stringify(cardsOf(bot))).toContain('No one answered in time');
  });
});
