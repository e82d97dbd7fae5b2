import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import type { Automation, Trigger } from '../../src/automations/automation.ts';
import type { Firing, FiringContent } from '../../src/automations/firing.ts';
import { maxAllowedBots } from '../../src/slack/automations/allowed-bots.ts';
import { renderAllowedBots } from '../../src/slack/automations/allowed-bots-view.ts';
import { renderAutomationForm } from '../../src/slack/automations/form/automation-form.ts';
import { automationValues } from '../../src/slack/automations/form/read-automation.ts';
import { renderAutomation } from '../../src/slack/automations/page/details-view.ts';
import {
  renderPauseNotice,
  renderThreadStart,
} from '../../src/slack/automations/posts/render-posts.ts';
import { aDefinition, anAutomation } from '../support/automations.ts';
import { hostileTexts } from './hostile-texts.ts';
import { findMentions, mrkdwnIn, sent } from './sent-payload.ts';

const expectMessage = (message: object) => {
  expect(validateMessage(sent(message), { method: 'chat.postMessage' })).toEqual([]);
  expect(findMentions({ ...message, blocks: mrkdwnIn(message) })).toEqual([]);
};
const expectModal = (view: object) => {
  expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);
  expect(findMentions(mrkdwnIn(view))).toEqual([]);
};

const triggersOf = (text: string): Trigger[] => [
  { kind: 'schedule', cron: text.slice(0, 200), timeZone: text.slice(0, 64), overlap: 'skip' },
  {
    kind: 'webhook',
    sender: 'github',
    filter: Array.from({ length: 20 }, () => [{ field: text || 'a', is: 'equals', text }]),
  },
  { kind: 'message', text, people: ['U1'], bots: ['B1'], onlyBots: false },
  { kind: 'reaction', emoji: text || 'eyes' },
];

const automationOf = (text: string, trigger: Trigger): Automation => ({
  ...anAutomation({
    name: text,
    definition: aDefinition({
      trigger,
      prompt: text || ' ',
      title: text,
      preset: text,
      config: { name: text, environment_id: text },
    }),
  }),
  nextAt: null,
  pause: null,
  failedStarts: 0,
  changedAt: 1,
  changedBy: 'U1',
  revision: 0,
});

const firedBy = (text: string): FiringContent[] => [
  { kind: 'webhook', deliveryId: text, event: text },
  { kind: 'message', channelId: 'C1', ts: '1.1', by: 'B1' },
  { kind: 'test', by: 'U1' },
];

const firingOf = (text: string, fired: FiringContent, index: number): Firing => ({
  id: `a1 ${index}`,
  automationId: 'a1',
  teamId: 'T1',
  happenedAt: 1_000 + index,
  state: 'skipped',
  reason: 'Limit of 20 starts an hour reached.',
  requestId: null,
  startKey: text,
  content: { fired },
  countedAt: null,
});

describe.each(hostileTexts)('automations made of %s', (_, text) => {
  it('are drawn with their history, for an owner and an admin', () => {
    const history = Array.from({ length: 21 }, (_each, index) => {
      const all = firedBy(text);
      const fired = all[index % all.length] ?? { kind: 'test', by: 'U1' };
      return { firing: firingOf(text, fired, index), request: null };
    });
    for (const trigger of triggersOf(text))
      for (const viewer of [
        { userId: 'U1', isAdmin: false },
        { userId: 'U2', isAdmin: true },
      ])
        expectModal(
          renderAutomation({
            position: { channelId: 'C1', which: 'all' },
            automation: { ...automationOf(text, trigger), last: null, spentMicros: 1 },
            history,
            viewer,
            botNames: new Map([['B1', text]]),
            hooks: { publicUrl: 'https://agent.example.com', isServed: true },
          }),
        );
  });

  it('are named in notices', () => {
    const notice = { automationId: 'a1', name: text, ownerId: 'U1', channelId: 'C1' };
    for (const userId of [null, 'U1'])
      expectMessage(
        renderPauseNotice(
          { ...notice, userId, sentence: 'Five starts in a row failed.' },
          new Map([['U1', text]]),
        ),
      );
    expectMessage(renderThreadStart(notice));
  });

  it('are fired by bots with such names', () => {
    const bots = Array.from({ length: maxAllowedBots }, (_each, index) => ({
      botId: `B${index}`,
      name: text,
      allowedBy: 'U1',
      at: 1,
    }));
    expectModal(renderAllowedBots(bots));
    expectModal(renderAllowedBots(bots.slice(0, 1)));
  });

  it('are drawn in their form', () => {
    for (const trigger of triggersOf(text)) {
      const { definition } = automationOf(text, trigger);
      const values = { ...automationValues(definition), automation_name: text, channel: 'C1' };
      expectModal(
        renderAutomationForm({
          metadata: { channelId: 'C1', id: 'a1', version: 0 },
          values: Object.fromEntries(
            Object.entries(values).map(([field, value]) => [field, value.slice(0, 3_000)]),
          ),
          bots: [{ botId: 'B1', name: text }],
          connections: ['default'],
          hooks: { publicUrl: 'https://agent.example.com', isServed: true },
          kept: text.slice(0, 500),
          keptInFull: text,
          rest: text,
        }),
      );
    }
  });
});
