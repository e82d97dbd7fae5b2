import { expect, it } from 'vitest';
import { createAuditAnswer } from '../../../src/slack/audit-log/answer-audit.ts';
import { automationText } from '../../../src/slack/audit-log/automation-text.ts';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.ts';

const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
  id: 'e1',
  position: 1,
  teamId: 'T1',
  createdAt: 1,
  action: 'automation_created',
  actorId: 'U1',
  entity: { type: 'automation', id: 'a1' },
  channelId: 'C1',
  details: { name: 'Nightly check', trigger: 'schedule' },
  ...changes,
});

it.each([
  ['automation_created', {}, '*created automation Nightly check* in <#C1>'],
  ['automation_taken_over', {}, '*took over automation Nightly check* in <#C1>'],
  ['automation_paused', { reason: 'person' }, '*paused automation Nightly check* in <#C1>'],
  [
    'automation_paused',
    { reason: 'failures' },
    '*paused automation Nightly check* in <#C1>  ·  too many starts failed',
  ],
])('says who did %s with %j', (action, more, text) => {
  const { details } = entry({});
  expect(automationText(entry({ action, details: { ...details, ...more } }))).toBe(text);
});

it('keeps hostile names on one line, without mentions', () => {
  expect(automationText(entry({ details: { name: 'a*b\n<!channel>' } }))).toBe(
    '*created automation a b &lt;!channel&gt;* in <#C1>',
  );
});

it('names no automation of a conversation that the admin is not in', async () => {
  const run = { entity: { type: 'run', id: 'r1' }, action: 'run_started' };
  const entries = ['C1', 'G1'].flatMap((channelId) => [
    entry({ channelId }),
    entry({ ...run, channelId, details: { automation: 'Nightly check', automationId: 'a1' } }),
  ]);
  const answerAudit = createAuditAnswer({
    audit: { list: async () => entries },
    rights: { denyAllButAdmins: async () => undefined },
    access: { seeRequest: async () => ({ sentence: 'hidden' }) },
    conversations: { isOpenTo: async ({ conversationId }) => conversationId === 'C1' },
    readMessageLink: async () => undefined,
  });
  const answer = await answerAudit({ teamId: 'T1', userId: 'U1', channelId: 'C9' }, {});
  const lines = answer.split('\n').slice(1);
  expect(lines.map((line) => line.replace(/^.*<@U1> {2}/, ''))).toEqual([
    '*created automation Nightly check* in <#C1>',
    '*run started*  a run in <#C1>  ·  by automation *Nightly check*',
    '*created an automation* in <#G1>',
    '*run started*  a run in <#G1>  ·  by an automation',
  ]);
});

it('leaves other entries to others', () => {
  expect(automationText(entry({ action: 'run_started' }))).toBeUndefined();
});
