import { missingScopes } from '../../config/app-scopes.ts';
import { type Check, judge, saidBy } from '../check.ts';

export const scopes: Check = {
  id: '2',
  title: 'Scopes',
  needs: 'nothing',
  async *run({ identity: { granted }, scopes: wanted }) {
    const missing = missingScopes(wanted, granted);
    const named = [...missing.required, ...missing.optional];
    const missed = named.length > 0 ? `; missing: ${named.join(', ')}` : '';
    yield judge('Installing the app grants every scope of the manifest', {
      holds: named.length === 0,
      said: `${missing.granted} of ${missing.requested} scopes${missed}`,
      means:
        missing.required.length > 0
          ? 'Reinstall it under Install App, then run this again.'
          : 'Features that need them are off. To turn them on, reinstall it under Install App.',
    });
  },
};

export const who: Check = {
  id: '3',
  title: 'Who the token is for',
  needs: 'nothing',
  async *run({ identity: { answer }, call, record, startBot }) {
    const { team_id: teamId, is_enterprise_install: isWhole } = answer;
    const isOne = /^T/.test(String(teamId)) && isWhole !== true;
    const teams = isOne ? undefined : await call('auth.teams.list');
    const list = Array.isArray(teams?.['teams']) ? teams['teams'] : [];
    const known = teams && `; auth.teams.list: ${saidBy(teams)}, ${list.length} workspaces`;
    yield judge('The token is for one workspace', {
      holds: isOne,
      said: `team_id ${teamId}, is_enterprise_install ${isWhole === true}${known ?? ''}`,
      means:
        'The token is for a whole organization. The app asks Slack for its workspaces; an admin adds it to each.',
    });
    const started = await startBot();
    yield judge('The bot starts with these tokens', {
      holds: started === 'ok',
      said: started,
      means: 'Run npx slash-agent doctor.',
    });
    const { hellos: came } = record.all;
    const counts = came.map(({ num_connections: count }) => Number(count));
    const times = came.map(({ debug_info: info }) => Object(info).approximate_connection_time);
    yield judge('The app can have two connections at once', {
      holds: came.length >= 2 && Math.max(...counts) >= 2,
      said: `${came.length} hello, num_connections ${counts.join(', ') || 'none'}, approximate_connection_time ${times[0] ?? 'none'}`,
      means:
        'While Slack replaces a connection, which happens about hourly, commands fail for seconds.',
    });
    yield judge('No other process is connected with this app', {
      holds: came.length === 0 ? undefined : Math.max(...counts) <= 2,
      said: `num_connections ${counts.join(', ') || 'none'}`,
      means: 'It gets some of the deliveries. Stop the other bot, then run this again.',
    });
  },
};
