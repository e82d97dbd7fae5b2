import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import type { Pause } from '../../../src/automations/automation.ts';
import type { Rule } from '../../../src/policy/policy.ts';
import { createAutomationRights } from '../../../src/slack/automations/automation-rights.ts';
import {
  type AutomationAct,
  automationActs,
  denyAutomation,
} from '../../../src/slack/people/permissions.ts';

const asker = { teamId: 'T1', userId: 'U1' };
const silent = new WebAPIPlatformError({ ok: false, error: 'internal_error' });

function rightsWith(
  rules: Rule[],
  { sees = async () => true, start }: { sees?: () => Promise<boolean>; start?: string } = {},
) {
  const facts = { conversation: undefined, inGroups: new Map() };
  return createAutomationRights({
    rights: {
      denyStart: async () => start,
      policyFor: async ({ userId, channelId }) => ({
        rules,
        ask: 'a workspace admin',
        facts: { ...facts, userId, channelId },
      }),
      denyAutomation: async ({ userId }, { ownerId, pause }, act) => {
        const isOwner = userId === ownerId;
        return denyAutomation({ role: 'member', isAdmin: true }, { ownerId, pause, isOwner, act });
      },
    },
    seesConversation: sees,
  });
}

describe('creating an automation', () => {
  it.each<[string, Partial<Rule>, string | undefined]>([
    ['allows all triggers without a rule', { start: true }, undefined],
    ['allows what a rule lists', { automations: ['schedule', 'reaction'] }, undefined],
    [
      'denies a trigger that no rule lists',
      { automations: ['webhook', 'message'] },
      'The rule "Some" only allows automations with these triggers: webhook, message. Choose one of them, or ask a workspace admin to change the rule.',
    ],
    [
      'names the only allowed trigger',
      { automations: ['webhook'] },
      'The rule "Some" only allows automations with the trigger webhook. Choose it, or ask a workspace admin to change the rule.',
    ],
    [
      'denies all with an empty list',
      { automations: [] },
      'The rule "Some" blocks automations. Ask a workspace admin to change it.',
    ],
    [
      'is denied while Slack does not say if a rule applies',
      { groups: ['S9'], automations: ['schedule'] },
      'Slack didn\'t say if the rule "Some" applies to you, so nothing was changed. Try again shortly, or ask a workspace admin to change the rule.',
    ],
    [
      'is not affected by rules for other channels',
      { channels: ['C9'], automations: [] },
      undefined,
    ],
  ])('%s', async (_, rule, denial) => {
    const rights = rightsWith([{ name: 'Some', ...rule }]);
    expect(await rights.denyCreate(asker, 'C1', 'schedule')).toBe(denial);
  });

  it('needs the right to start runs in a channel that the person can read', async () => {
    const guest = "Guests can't start agent runs. Ask a full member of this workspace.";
    expect(await rightsWith([], { start: guest }).denyCreate(asker, 'C1', 'webhook')).toBe(guest);
    const unseen = rightsWith([], { sees: async () => false });
    expect(await unseen.denyCreate(asker, 'C1', 'webhook')).toContain(
      "You can't read this channel",
    );
    const unknown = rightsWith([], { sees: () => Promise.reject(silent) });
    expect(await unknown.denyCreate(asker, 'C1', 'webhook')).toContain('nothing was changed');
  });

  it('has the limit of the first rule that may apply', async () => {
    const one: Rule = { name: 'One', groups: ['S9'], automation_starts_per_hour: 2 };
    const all: Rule = { name: 'All', automation_starts_per_hour: 9 };
    expect(await rightsWith([one, all]).maxStartsPerHour(asker, 'C1')).toBe(2);
    expect(await rightsWith([all]).maxStartsPerHour(asker, 'C1')).toBe(9);
    expect(await rightsWith([]).maxStartsPerHour(asker, 'C1')).toBeUndefined();
  });
});

describe('changing an automation', () => {
  const acts = Object.keys(automationActs) as AutomationAct[];
  const pausedBy = (by: string) => ({ code: 'person', sentence: '', by, at: 0 }) as const;
  const allowed = (
    role: 'member' | 'guest' | 'unknown',
    isAdmin: boolean,
    isOwner: boolean,
    pause: Pause | null = null,
  ) =>
    acts.filter(
      (act) =>
        denyAutomation({ role, isAdmin }, { ownerId: 'U2', pause, isOwner, act }) === undefined,
    );

  it('is for its owner, and stopping it also for admins', () => {
    expect(allowed('member', false, true)).toEqual(acts.filter((act) => act !== 'takeOver'));
    expect(allowed('member', true, false)).toEqual(['pause', 'resume', 'remove', 'takeOver']);
    expect(allowed('member', false, false)).toEqual([]);
    expect(allowed('guest', false, true)).toEqual(['pause', 'remove']);
    expect(allowed('unknown', false, false)).toEqual([]);
  });

  it('leaves what its owner paused to the owner, whose keys its runs use', () => {
    expect(allowed('member', true, false, pausedBy('U2'))).not.toContain('resume');
    expect(allowed('member', false, true, pausedBy('U2'))).toContain('resume');
    expect(allowed('member', true, false, pausedBy('U3'))).toContain('resume');
    expect(allowed('member', true, false, pausedBy('system'))).toContain('resume');
  });

  it('says who can', () => {
    const say = (act: AutomationAct, isAdmin = false, pause: Pause | null = null) =>
      denyAutomation({ role: 'member', isAdmin }, { ownerId: 'U2', pause, isOwner: false, act });
    expect(say('resume', true, pausedBy('U2'))).toBe(
      'Only <@U2>, who paused this automation, can resume it. You can take it over.',
    );
    expect(say('resume', false, pausedBy('U2'))).toBe(
      'Only <@U2>, who paused this automation, can resume it.',
    );
    expect(say('edit')).toBe('Only <@U2>, who owns this automation, can edit it.');
    expect(say('edit', true)).toBe(
      'Only <@U2>, who owns this automation, can edit it. You can take it over.',
    );
    expect(say('pause')).toBe(
      'Only <@U2>, who owns this automation, and workspace admins can pause it.',
    );
  });

  it('is not for admins who are not in its private channel', async () => {
    const rights = rightsWith([], { sees: async () => false });
    const automation = { ownerId: 'U2', channelId: 'G1', pause: null };
    expect(await rights.denyManage(asker, automation, 'pause')).toContain(
      "can't read this channel",
    );
    expect(
      await rights.denyManage(asker, { ...automation, ownerId: 'U1' }, 'pause'),
    ).toBeUndefined();
  });
});
