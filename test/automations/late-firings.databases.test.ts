import { expect, it } from 'vitest';
import type { Trigger } from '../../src/automations/automation.ts';
import { aDefinition, everyMorning } from '../support/automations.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { useAutomations } from './automation-bed.ts';

describeOnDatabase('what fired an automation long ago', (database) => {
  const { create, fire, history, replica } = useAutomations(database);
  const isOver = async () => (await history()).every((line) => !line.endsWith(': waiting'));
  const over = () => expect.poll(isOver, { timeout: 10_000, interval: 20 }).toBe(true);

  it('is noted as missed if it keeps failing for an hour', async () => {
    await create();
    await fire('1');
    await database()
      .updateTable('automation_firings')
      .set({ counted_at: 1, failures: 5 })
      .execute();
    replica({ start: async () => ({ outcome: 'later', againAt: Date.now() }) });
    await over();
    expect(await history()).toEqual(['1: missed, Nothing could be started for an hour.']);
  });

  it.each([
    { kind: 'webhook', deliveryId: '1' },
    { kind: 'message', channelId: 'C1', ts: '1.0', by: 'U2' },
    { kind: 'reaction', channelId: 'C1', ts: '1.0', by: 'U2' },
    { kind: 'schedule' },
    { kind: 'test', by: 'U1' },
  ] as const)('is missed if it waited for more than a day: $kind', async (fired) => {
    const trigger = {
      webhook: { kind: 'webhook', sender: 'bearer', filter: [] },
      message: { kind: 'message', text: '', people: [], bots: [], onlyBots: false },
      reaction: { kind: 'reaction', emoji: 'eyes' },
      schedule: { ...everyMorning, overlap: 'queue' },
      test: everyMorning,
    } satisfies Record<string, Trigger>;
    await create({ definition: aDefinition({ trigger: trigger[fired.kind] }) });
    await fire('late', { happenedAt: Date.now() - 24 * 3_600_000 - 1, fired });
    await fire('yesterday', { happenedAt: Date.now() - 23 * 3_600_000, fired });
    replica();
    await over();
    expect(await history()).toEqual([
      'late: missed, Nothing could be started within a day, so it was too late.',
      'yesterday: started',
    ]);
  });

  it('is missed if the app was down for an hour after its due time', async () => {
    await create();
    await fire('at 1', { happenedAt: Date.now() - 3_601_000, fired: { kind: 'schedule' } });
    replica();
    await over();
    expect(await history()).toEqual(["at 1: missed, The app wasn't running for an hour."]);
  });
});
