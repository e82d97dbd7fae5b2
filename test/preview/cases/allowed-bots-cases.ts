import { renderAllowedBots } from '../../../src/slack/automations/allowed-bots-view.ts';

const pager = { botId: 'B04ALERTMGR', name: 'Alertmanager', allowedBy: 'U04ADALOVEL', at: 1 };
/** Shows that a bot's name can't ping anyone. */
const hostile = { ...pager, botId: 'B04HOSTILE0', name: '<!channel> *Ada* & co' };

export const allowedBotsCases = [
  ['no allowed bots', renderAllowedBots([])],
  ['allowed bots', renderAllowedBots([pager, hostile])],
] as const;
