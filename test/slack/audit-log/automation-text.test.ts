import { expect, it } from 'vitest';
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

it('leaves other entries to others', () => {
  expect(automationText(entry({ action: 'run_started' }))).toBeUndefined();
});
