import type { Question } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import type { Answer, AnswerOutcome } from '../../src/requests/answer.ts';
import { ownAuthority } from '../../src/requests/authority.ts';
import { renderForm, renderToRead } from '../../src/slack/question/question-form.ts';
import { type QuestionStatus, renderQuestion } from '../../src/slack/question/render-question.ts';
import { answeredBefore } from '../../src/slack/runs/acting/answer-question.ts';
import { openQuestion } from '../../src/slack/runs/run-question.ts';
import { aRequest, aRun } from '../support/builders.ts';
import { hostileTexts } from './hostile-texts.ts';
import { sent } from './sent-payload.ts';

const mentionsIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        key === 'text' && typeof each === 'string' && Reflect.get(value, 'type') === 'mrkdwn'
          ? (each.match(/<[@!#](?!date)[^>]*>/g) ?? [])
          : mentionsIn(each),
      );

const statuses: QuestionStatus[] = [
  ...(['open', 'sending', 'answered', 'late', 'closing', 'expired', 'elsewhere', 'over'] as const),
];
const outcomes: (AnswerOutcome | null)[] = [
  ...(['accepted', 'late', 'unclear', 'rejected', 'not_offered'] as const),
  null,
];

const answerOf = (text: string, outcome: AnswerOutcome | null): Answer => ({
  id: 'q',
  teamId: 'T1',
  requestId: 'r1',
  answeredBy: 'U2',
  authority: ownAuthority('U2'),
  answeredAt: 0,
  given: { questionId: 'q1', text },
  beganAt: null,
  retryAt: null,
  outcome,
  problem: text,
});

/** Limits labels in long lists, because masking longer ones only takes time. Slack allows 75 characters. */
const longestLabel = 200;

const manyOptions = (label: string, count = 300) =>
  Array.from({ length: count }, () => ({ id: label, label, kind: label }));

function questionsOf(text: string): (Question | null)[] {
  return [1, 5, 6, 300].map((count, index) => ({
    id: text,
    text,
    details: text,
    takes_text: index % 2 === 0,
    asked_at: text,
    expires_at: index > 1 ? text : '2026-11-01T12:00:00.000Z',
    options: manyOptions(count === 1 ? text : text.slice(0, longestLabel), count),
  }));
}

/** Builds fields of every kind, with options and without, and with limits that no form supports. */
const fieldsOf = (text: string): QuestionField[] =>
  ['text', 'number', 'boolean', 'choice', 'choices', text].flatMap((kind) =>
    [undefined, -1, 0, 0.5, 1e9].map((maximum) => ({
      kind,
      name: text,
      label: text,
      description: text,
      maximum,
      options: maximum === 1e9 ? manyOptions(text.slice(0, longestLabel)) : [],
    })),
  );

describe.each(hostileTexts)('a text of %s', (_, text) => {
  it('makes questions and forms that Slack takes and that call nobody else', () => {
    for (const question of [...questionsOf(text), null]) {
      const run = aRun({
        state: 'BLOCKED',
        status_message: { message: text },
        ...(question && { agent_progress: { question } }),
      });
      const request = aRequest({ title: text, run });
      const open = openQuestion(request);
      if (!open) throw new Error('nothing is asked');
      const content = { question: open.question, names: ['U1'] };
      for (const [index, status] of statuses.entries()) {
        const answer = answerOf(text, outcomes[index] ?? null);
        const { postId } = open;
        const card = renderQuestion({
          postId,
          who: 'Only Ada',
          hasTitle: true,
          request,
          content,
          status,
          answer,
        });
        const method = status === 'open' ? 'chat.postMessage' : 'chat.update';
        expect(validateMessage(sent(card), { method })).toEqual([]);
        expect(new Set(mentionsIn(card.blocks))).toEqual(
          new Set(mentionsIn(card.blocks).filter((each) => /^<@U[12]>$/.test(each))),
        );
        expect(card.text.replaceAll('<@U1>', '')).not.toMatch(/<[@!#]/);
      }
      const words = answeredBefore(answerOf(text, 'accepted'));
      for (const view of [
        renderForm({ postId: open.postId, conversationId: 'C1' }, open.question),
        renderToRead(open.question, words),
      ])
        expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);
    }
  });

  it('makes forms of several fields that Slack takes', () => {
    const all = fieldsOf(text);
    for (let from = 0; from < all.length; from += 5) {
      const question = { id: text, text, options: [], fields: all.slice(from, from + 5) };
      const view = renderForm({ postId: 'q1' }, question);
      expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);
    }
  });
});
