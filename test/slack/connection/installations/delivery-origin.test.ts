import { describe, expect, it } from 'vitest';
import { isForInstallation } from '../../../../src/slack/connection/installations/delivery-origin.ts';

const identity = { botId: 'B1', botUserId: 'U1' };
const ours = { ...identity, teamId: 'T1' };
const inOrg = { ...ours, enterpriseId: 'E1' };

const event = (authorization: object, more: object = {}) => ({
  type: 'event_callback',
  team_id: 'T2',
  event: { type: 'app_mention' },
  authorizations: [{ enterprise_id: null, is_enterprise_install: false, ...authorization }],
  ...more,
});
const person = (teamId: string | null, more: object = {}) => ({
  type: 'block_actions',
  team: teamId && { id: teamId },
  user: { id: 'U2', team_id: teamId },
  ...more,
});
const orgInstall = { enterprise_id: 'E1', team_id: null, is_enterprise_install: true };
const inWhole = (id: string) => person(null, { enterprise: { id }, is_enterprise_install: true });

describe('a delivery is for this installation', () => {
  it.each([
    ['an event in a channel shared by another company', ours, event({ team_id: 'T1' })],
    ['an event without authorizations', ours, { event: {}, team_id: 'T1' }],
    ['a command', ours, { command: '/agent', team_id: 'T1' }],
    ['a click', ours, person('T1')],
    [
      "a click by someone else's employee on our message",
      ours,
      person('T2', { message: { team: 'T1' } }),
    ],
    [
      "a form of ours from someone else's employee",
      ours,
      { ...person('T2'), view: { app_installed_team_id: 'T1' } },
    ],
    [
      'a click in what the app showed here, although it was installed elsewhere first',
      ours,
      person('T2', { view: { app_installed_team_id: 'T2', private_metadata: '{"team":"T1"}' } }),
    ],
    ['an event about the organization', inOrg, { event: {}, enterprise_id: 'E1' }],
    ['nothing that names one', ours, { type: 'app_rate_limited' }],
    ['no object', ours, 'text'],
  ])('if it is %s', (_, identity, body) => {
    expect(isForInstallation(body, identity)).toBe(true);
  });
});

describe('a delivery is for another installation', () => {
  it.each([
    ['an event', ours, event({ team_id: 'T2' }, { team_id: 'T1' })],
    ['an event without authorizations', ours, { event: {}, team_id: 'T2' }],
    ['a command', ours, { command: '/agent', team_id: 'T2' }],
    ['a click', ours, person('T2')],
    ['our own click on its message', ours, person('T1', { message: { team: 'T2' } })],
    ['our own form from it', ours, { ...person('T1'), view: { app_installed_team_id: 'T2' } }],
    [
      'a form of ours that says another workspace',
      ours,
      person('T1', { view: { app_installed_team_id: 'T1', private_metadata: '{"team":"T2"}' } }),
    ],
    ['an event of an organization', ours, event(orgInstall)],
    ['an event of the whole organization', inOrg, event(orgInstall)],
    ['a click in the whole organization', inOrg, inWhole('E1')],
    [
      'a command in the whole organization',
      inOrg,
      { command: '/agent', team_id: 'T2', enterprise_id: 'E1', is_enterprise_install: 'true' },
    ],
    ['an event of another organization', inOrg, event({ ...orgInstall, enterprise_id: 'E2' })],
    ['a click in another organization', inOrg, inWhole('E2')],
  ])('if it is %s', (_, identity, body) => {
    expect(isForInstallation(body, identity)).toBe(false);
  });
});
