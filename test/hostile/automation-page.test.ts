import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import type { Trigger } from '../../src/automations/automation.ts';
import { renderAllowedBots } from '../../src/slack/automations/allowed-bots-view.ts';
import { renderAutomationForm } from '../../src/slack/automations/form/automation-form.ts';
import { automationValues } from '../../src/slack/automations/form/read-automation.ts';
import { renderAutomation } from '../../src/slack/automations/page/details-view.ts';
import { renderList } from '../../src/slack/automations/page/list-view.ts';
import {
  renderPauseNotice,
  renderThreadStart,
} from '../../src/slack/automations/posts/render-posts.ts';
import { aDefinition, anAutomation } from '../support/automations.ts';
import { hostileTexts } from './hostile-texts.ts';
import { findMentions, mrkdwnIn, sent } from './sent-payload.ts';

describe.each(hostileTexts)('an automation with %s', (_, text) => {
  const short = [...text].slice(0, 200).join('');
  const triggers: Trigger[] = [
    {
      kind: 'message',
      text: short,
      people: [short],
      bots: [],
      onlyBots: false,
    },
    { kind: 'reaction', emoji: short },
    { kind: 'webhook', sender: 'github', filter: [[{ field: short, is: 'equals', text }]] },
  ];
  const automations = triggers.map((each, index) => ({
    ...anAutomation({ id: `a${index}`, name: short }),
    definition: aDefinition({
      trigger: each,
      prompt: text,
      preset: short,
      config: { name: short },
    }),
    pause: null,
    failedStarts: 0,
    changedAt: 1,
    changedBy: 'U1',
    revision: 0,
    spentMicros: 1,
    last: null,
  }));
  const position = { channelId: 'C0123456789', which: 'all' as const };

  it('is listed and shown in views that Slack takes, and mentions nobody', () => {
    const many = Array.from({ length: 26 }, () => automations).flat();
    const list = renderList({ position, automations: many, isAdmin: true, botNames: new Map() });
    const views = automations.map((automation) => {
      const firing = {
        id: 'a1 1',
        automationId: 'a1',
        teamId: 'T1',
        happenedAt: 1_000_000_000_000,
        state: 'unmatched' as const,
        reason: null,
        requestId: null,
        startKey: '1',
        content: { fired: { kind: 'webhook' as const, deliveryId: text, event: text } },
        countedAt: null,
      };
      const history = Array.from({ length: 21 }, () => ({ firing, request: null }));
      const viewer = { userId: 'U1', isAdmin: true };
      return renderAutomation({
        position,
        automation,
        history,
        viewer,
        botNames: new Map(),
        hooks: { publicUrl: 'https://agent.example.com', isServed: true },
      });
    });
    for (const view of [list, ...views]) {
      expect(validateView(sent(view))).toEqual([]);
      expect(findMentions(mrkdwnIn(view))).toEqual([]);
    }
  });

  it('is edited in a form that Slack takes, and mentions nobody', () => {
    for (const { name, definition } of automations) {
      const form = renderAutomationForm({
        metadata: {
          channelId: 'C0123456789',
          id: 'a1',
          source: { from: 'automation', revision: 1 },
          version: 0,
        },
        values: {
          ...automationValues(definition),
          automation_name: name,
          channel: 'C0123456789',
          people: 'U0123456789',
        },
        bots: [{ botId: 'B1', name: text }],
        connections: ['default'],
        kept: text,
        keptInFull: text,
        rest: text,
        hooks: { publicUrl: undefined, isServed: false },
      });
      expect(validateView(sent(form))).toEqual([]);
      expect(findMentions(mrkdwnIn(form))).toEqual([]);
    }
  });

  it('has bots in a list that Slack takes, and mentions nobody', () => {
    const bot = { botId: 'B1', name: short, allowedBy: 'U1', at: 1_000_000_000_000 };
    const view = renderAllowedBots([bot, { ...bot, botId: 'B2', name: text }]);
    expect(validateView(sent(view))).toEqual([]);
    expect(findMentions(mrkdwnIn(view))).toEqual([]);
  });

  it('is named in messages that Slack takes, and mentions nobody', () => {
    const content = {
      userId: null,
      automationId: 'a1',
      ownerId: 'U1',
      channelId: 'C1',
      sentence: '.',
    };
    const message = renderPauseNotice({ ...content, name: text }, new Map([['U1', text]]));
    for (const each of [message, renderThreadStart({ automationId: 'a1', name: text })]) {
      expect(validateMessage(sent(each), { method: 'chat.postMessage' })).toEqual([]);
      expect(findMentions(each)).toEqual([]);
    }
  });
});
