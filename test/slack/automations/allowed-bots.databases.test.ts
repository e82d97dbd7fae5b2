import { expect, it } from 'vitest';
import {
  allowBot,
  maxAllowedBots,
  readAllowedBots,
  removeBot,
} from '../../../src/slack/automations/allowed-bots.ts';
import { createAudit } from '../../../src/store/audit/audit.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const admin = { teamId: 'T1', userId: 'U1' };

describeOnDatabase('allowed bots', (database) => {
  it('are kept by ID, with an audit entry for each change', async () => {
    const settings = createSettings(database());
    const names = async (teamId = 'T1') =>
      (await readAllowedBots(settings, teamId)).map(({ name, botId }) => `${botId} ${name}`);
    await allowBot(settings, admin, { botId: 'B1', name: 'Pager' });
    await allowBot(settings, admin, { botId: 'B1', name: 'Pager' });
    await allowBot(settings, { ...admin, userId: 'U2' }, { botId: 'B2', name: 'Alerts' });
    expect(await names()).toEqual(['B2 Alerts', 'B1 Pager']);
    expect(await names('T2')).toEqual([]);
    await removeBot(settings, admin, 'B2');
    await removeBot(settings, admin, 'B2');
    expect(await names()).toEqual(['B1 Pager']);
    const entries = await createAudit(database()).list({ teamId: 'T1' }, 10);
    expect(entries.map(({ action, actorId, entity }) => [action, actorId, entity.id])).toEqual([
      ['bot_removed', 'U1', 'B2'],
      ['bot_allowed', 'U2', 'B2'],
      ['bot_allowed', 'U1', 'B1'],
    ]);
  });

  it('have a limit, and two admins at once lose no bot', async () => {
    const settings = createSettings(database());
    const all = Array.from({ length: maxAllowedBots }, (_, index) => ({
      botId: `B${index}`,
      name: 'Bot',
    }));
    const allowed = await Promise.all(all.map((bot) => allowBot(settings, admin, bot)));
    expect(allowed).not.toContain(false);
    expect(await allowBot(settings, admin, { botId: 'B99', name: 'One more' })).toBe(false);
    expect(await readAllowedBots(settings, 'T1')).toHaveLength(maxAllowedBots);
  });
});
