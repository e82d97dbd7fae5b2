import fc from 'fast-check';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import { renderDenied } from '../../src/slack/home/home-view.ts';
import { askForPrompt } from '../../src/slack/mention/ask-for-prompt.ts';
import {
  closedThread,
  fileAlone,
  howToMention,
  nothingToCancel,
  notPassedOn,
  passedOn,
  startedMasked,
  startedWithoutThread,
} from '../../src/slack/mention/mention-answers.ts';
import { renderPlan, renderPlanMessage } from '../../src/slack/plan/register-plan.ts';
import { unknownRun } from '../../src/slack/posting/answer-privately.ts';
import { renderDetailsMessage } from '../../src/slack/run-details/run-details-view.ts';
import { renderCancelQuestion } from '../../src/slack/run-list/register-run-list.ts';
import { renderNotifyAnswer } from '../../src/slack/run-message/message-buttons.ts';
import { offerAgain, readAgainMessage } from '../../src/slack/runs/showing/buttons/offer-again.ts';
import { section } from '../../src/slack/text/blocks.ts';
import { aRequest } from '../support/builders.ts';
import { hostileTexts } from './hostile-texts.ts';
import { sent } from './sent-payload.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4_000 }),
  fc.constantFrom(...hostileTexts.map(([, hostile]) => hostile)),
);

function expectAnswer(answer: object) {
  const posted = sent({ channel: 'C1', ...answer });
  expect(validateMessage(posted, { method: 'chat.postEphemeral' })).toEqual([]);
  expect(JSON.stringify(posted)).not.toMatch(/<!(channel|here|everyone)/);
}

const expectView = (view: object, type: 'modal' | 'home') =>
  expect(validateView(sent(view), { types: [type] })).toEqual([]);

const mention = { requestId: 'T1-V1', channelId: 'C1', threadTs: '1.0', ts: '2.0' };

describe('an answer to one person', () => {
  it('about a run of any title is one that Slack takes', () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (title, code, isLive) => {
        const offered = offerAgain(title, mention, isLive);
        expectAnswer(offered);
        expectAnswer(passedOn(title, 2));
        expectView(renderPlan(title, code), 'modal');
        expectAnswer(notPassedOn(aRequest({ title }), code));
        expectView(renderCancelQuestion(aRequest({ title })), 'modal');
      }),
    );
  });

  it('that is always the same is one that Slack takes', () => {
    const closed = 'This thread is too long to read.';
    const closedAnswers = [closedThread(closed), { text: startedWithoutThread(closed) }];
    expectAnswer({ text: startedMasked(1) });
    const asked = askForPrompt({ channelId: 'D1', inView: 'C1' }, 'preset=nightly');
    const tooLong = askForPrompt({ channelId: 'C1' }, 'x'.repeat(2_000));
    const notCanceled = nothingToCancel({ threadTs: '1.0' }, undefined);
    const known = [howToMention, fileAlone, asked, tooLong, notCanceled, ...closedAnswers];
    for (const answer of [...known, { text: unknownRun }]) expectAnswer(answer);
    for (const wants of [true, false]) {
      const { text: told, back } = renderNotifyAnswer('T1-V1', wants);
      expectAnswer({ text: told, blocks: [section(told, back)] });
    }
    expectView(renderDetailsMessage(unknownRun), 'modal');
    expectView(renderPlanMessage(unknownRun), 'modal');
    expectView(renderPlan('', ''), 'modal');
    expectView(renderDenied('Guests cannot see runs. Ask a member.'), 'home');
  });

  it('keeps in its button which run and which words were meant', () => {
    const { blocks } = offerAgain('A title', mention, false);
    const value = /"value":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(blocks))?.[1] ?? '';
    expect(readAgainMessage(JSON.parse(`"${value}"`))).toEqual(mention);
    for (const odd of [undefined, '', 'null', '[]', '{"requestId":1}', 'not json'])
      expect(readAgainMessage(odd)).toBeUndefined();
  });
});
