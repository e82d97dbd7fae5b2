import type { Definition, Trigger } from '../../src/automations/automation.ts';
import type { NewAutomation } from '../../src/store/automations/automation-row.ts';
import { createAutomations } from '../../src/store/automations/automations.ts';
import { createFirings } from '../../src/store/automations/firings.ts';
import type { Db } from '../../src/store/schema.ts';

export const everyMorning = {
  kind: 'schedule',
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  overlap: 'skip',
} satisfies Trigger;

export const aDefinition = (changes: Partial<Definition> = {}): Definition => ({
  trigger: everyMorning,
  prompt: 'check the dependencies',
  title: '',
  preset: null,
  config: {},
  show: 'message',
  startsPerHour: 20,
  activeRuns: 3,
  ...changes,
});

export const anAutomation = (changes: Partial<NewAutomation> = {}): NewAutomation => ({
  id: 'a1',
  teamId: 'T1',
  ownerId: 'U1',
  channelId: 'C1',
  name: 'Nightly check',
  definition: aDefinition(),
  nextAt: null,
  createdAt: 1_000,
  ...changes,
});

/** Creates an automation, fires it once, and returns the origin of the run that it starts. */
export async function firedOrigin(db: Db, changes: Partial<NewAutomation> = {}) {
  const created = anAutomation(changes);
  const { id, teamId, name } = created;
  await createAutomations(db).create(created, 'U1');
  const firing = { automationId: id, teamId, key: 'now', happenedAt: 1 };
  await createFirings(db).add({ ...firing, fired: { kind: 'schedule' } });
  const automation = { id, name, firingId: `${id} now`, trigger: 'schedule' } as const;
  return { kind: 'automation', automation } as const;
}
