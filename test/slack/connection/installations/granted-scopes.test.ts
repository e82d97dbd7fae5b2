import { expect, it } from 'vitest';
import { createLineLogger } from '../../../../packages/base/test/support/line-logger.ts';
import { createGrantedScopes } from '../../../../src/slack/connection/installations/granted-scopes.ts';

const scopes = { required: ['chat:write', 'commands'], optional: ['files:read'] };

function create(stored?: readonly string[]) {
  const { logger, lines } = createLineLogger();
  const granted = createGrantedScopes({ scopes, stored: () => stored, logger, teamId: 'T1' });
  return { granted, lines, learn: (header: string) => granted.learn(header, granted.begin()) };
}

it('takes every scope as granted until Slack says otherwise, or an installation does', () => {
  const { granted } = create();
  expect([granted.has('chat:write'), granted.missing().required]).toEqual([true, []]);
  const installed = create(['commands']).granted;
  expect([installed.has('chat:write'), installed.missing().required]).toEqual([
    false,
    ['chat:write'],
  ]);
});

it('logs each change once: what is missing, and when nothing is', () => {
  const { learn, lines, granted } = create();
  learn('commands, chat:write,files:read');
  expect(lines).toEqual([]);
  for (let times = 0; times < 2; times += 1) learn('commands');
  expect(granted.missing()).toMatchObject({ granted: 1, requested: 3 });
  expect(lines).toMatchObject([
    {
      level: 50,
      teamId: 'T1',
      missing: ['chat:write'],
      msg: expect.stringMatching(/^Slack granted 1 of 3 scopes: reinstall .* Install App/),
    },
  ]);
  learn('commands,chat:write');
  expect(lines[1]).toMatchObject({ level: 30, missing: ['files:read'] });
  learn('commands,chat:write,files:read');
  expect(lines.slice(2)).toMatchObject([{ msg: 'Slack granted all scopes' }]);
});

it('keeps the newest answer: one to an earlier call can arrive late', () => {
  const { granted } = create();
  const [early, late] = [granted.begin(), granted.begin()];
  granted.learn('commands,chat:write', late);
  granted.learn('commands', early);
  granted.learn(null, granted.begin());
  expect(granted.has('chat:write')).toBe(true);
});
