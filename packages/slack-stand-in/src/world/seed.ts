import { newId, newSecret, newToken } from '../lib/ids.ts';
import type { Channel, Message, Person, World } from './world.ts';

const teamId = 'T04ENGINE01';
const otherTeamId = 'T05COMPILER';
/** Home team of the Slack Connect stranger. The app can't be installed there. */
const strangersTeamId = 'T09OUTSIDER';

const organizationId = 'E07STARSHIP';

const ada = 'U04ADALOVEL';
const grace = 'U04GRACEHOP';
const alan = 'U04ALANTURI';
const guest = 'U04GUESTSAM';
const stranger = 'U09STRANGER';
const alertBot = 'U04ALERTBOT';
const deployBot = 'U04DEPLOYBT';
const katherine = 'U05KATHERIN';

function person(id: string, realName: string, rest: Partial<Person>): Person {
  const name = realName.split(' ')[0]?.toLowerCase() ?? realName;
  const email = `${name}@example.com`;
  const home = { teamId, timeZone: 'Europe/London', role: 'member' as const };
  return { id, name, realName, email, title: '', deactivated: false, ...home, ...rest };
}

const people: Person[] = [
  person(ada, 'Ada Lovelace', { role: 'admin', title: 'Engineer' }),
  person(grace, 'Grace Hopper', { timeZone: 'America/New_York', title: 'Compiler lead' }),
  person(alan, 'Alan Turing', { timeZone: 'Asia/Kolkata', title: 'On-call' }),
  person(guest, 'Sam Guest', { role: 'guest', timeZone: 'Europe/Berlin', title: 'Contractor' }),
  person(stranger, 'Steve Stranger', {
    role: 'stranger',
    teamId: strangersTeamId,
    timeZone: 'America/Los_Angeles',
  }),
  person(alertBot, 'Alertmanager', { role: 'bot', botId: 'B04ALERTBOT', appId: 'A04ALERTBOT' }),
  person(deployBot, 'Deploybot', { role: 'bot', botId: 'B04DEPLOYBT', appId: 'A04DEPLOYBT' }),
  person(katherine, 'Katherine Johnson', { teamId: otherTeamId, role: 'owner' }),
];

/** Creation time of channels, January 1, 2025, which is before all messages. */
const createdSeconds = 1_735_689_600;

function channel(id: string, name: string, memberIds: string[], rest: Partial<Channel>): Channel {
  const base = { teamId, kind: 'public' as const, topic: '', purpose: '', creatorId: ada };
  const flags = { isArchived: false, isShared: false, createdSeconds };
  return { id, name, memberIds, ...base, ...flags, ...rest };
}

const everyone = [ada, grace, alan];

const channels: Channel[] = [
  channel('C04GENERAL1', 'general', [...everyone, alertBot, deployBot], {
    purpose: 'For everyone.',
  }),
  channel('C04ENGINEER', 'engineering', [...everyone, guest], { topic: 'Ship it.' }),
  channel('C04ALERTS01', 'alerts', [...everyone, alertBot, deployBot], { topic: 'What pages us.' }),
  channel('C04PARTNERS', 'partners', [ada, grace, stranger], { isShared: true }),
  channel('C04SECRETS1', 'secret-project', [ada, grace], { kind: 'private' }),
  channel('C04MANAGERS', 'managers', [ada, alan], { kind: 'private' }),
  channel('C04RANDOM01', 'random', [...everyone], { topic: "The app isn't in this channel." }),
  channel('C05GENERAL1', 'general', [katherine], { teamId: otherTeamId, creatorId: katherine }),
];

/** Channels that the app is in. */
export const channelsWithApp = [
  'C04GENERAL1',
  'C04ENGINEER',
  'C04ALERTS01',
  'C04PARTNERS',
  'C04SECRETS1',
];

/** Returns an alert. Alert bots leave `text` empty and use blocks and attachments. */
function alertMessage(ts: string): Message {
  const summary = '*HighErrorRate* on `checkout-api`: 7.3% of requests failed in 5 minutes';
  return {
    ts,
    channelId: 'C04ALERTS01',
    userId: alertBot,
    botId: 'B04ALERTBOT',
    text: '',
    subtype: 'bot_message',
    blocks: [
      { type: 'section', block_id: 'alert', text: { type: 'mrkdwn', text: summary } },
      {
        type: 'context',
        block_id: 'where',
        elements: [{ type: 'mrkdwn', text: 'cluster *eu-1* · severity *critical*' }],
      },
    ],
    attachments: [
      {
        id: 1,
        color: 'b00020',
        fallback: 'TypeError in cart.ts line 42',
        title: 'TypeError: cannot read properties of undefined (reading "price")',
        text: 'at total (src/cart.ts:42:18)\nat checkout (src/checkout.ts:17:9)',
        fields: [{ title: 'Release', value: '2026.11.3', short: true }],
      },
    ],
    reactions: [],
    isBroadcast: false,
  };
}

/**
 * Creates a further team with an admin, a colleague and a channel. In an organization, it also has a channel shared
 * with another company.
 */
function furtherTeam(number: number, isInOrganization: boolean) {
  const digits = String(number).padStart(4, '0');
  const [team, admin, member] = [`T06TEAM${digits}`, `U06ADM${digits}`, `U06MEM${digits}`];
  const base = { teamId: team, creatorId: admin };
  const shared = channel(`C06EXT${digits}`, 'partners', [admin, member, stranger], {
    ...base,
    isShared: true,
  });
  return {
    team: { id: team, name: `Team ${number}`, domain: `team-${number}` },
    people: [
      person(admin, `Admin${number} Six`, { teamId: team, role: 'admin' }),
      person(member, `Member${number} Six`, { teamId: team }),
    ],
    channels: [
      channel(`C06GEN${digits}`, 'general', [admin, member], base),
      ...(isInOrganization ? [shared] : []),
    ],
  };
}

/**
 * Creates a world with one message, an alert that is an hour old.
 * @param moreTeams number of further teams without the app: `T06TEAM0001` and so on
 * @param inOrganization number of further teams that belong to one organization
 * @param forOrganization true to put the first team into the organization too
 */
export function seedWorld(
  appName: string,
  moreTeams = 0,
  inOrganization = 0,
  forOrganization = false,
): World {
  const further = Array.from({ length: moreTeams }, (_, index) =>
    furtherTeam(index + 1, index < inOrganization),
  );
  const teamIds = [
    ...(forOrganization ? [teamId] : []),
    ...further.slice(0, inOrganization).map(({ team }) => team.id),
  ];
  const alertTs = `${Math.floor(Date.now() / 1000) - 3600}.000100`;
  return {
    version: 1,
    app: {
      id: newId('A'),
      name: appName,
      clientId: `${Date.now()}.${Date.now() + 1}`,
      clientSecret: newSecret(),
      signingSecret: newSecret(),
      appToken: newToken('xapp'),
      verificationToken: newSecret().slice(0, 24),
      hasDirectThreads: false,
    },
    teams: [
      { id: teamId, name: 'Analytical Engines', domain: 'analytical-engines' },
      { id: otherTeamId, name: 'Compiler Club', domain: 'compiler-club' },
      { id: strangersTeamId, name: 'Outside Partners', domain: 'outside-partners' },
      ...further.map(({ team }) => team),
    ],
    organizations: teamIds.length > 0 ? [{ id: organizationId, name: 'Starship', teamIds }] : [],
    people: [...structuredClone(people), ...further.flatMap((each) => each.people)],
    userGroups: [
      { id: 'S04ONCALL01', teamId, handle: 'oncall', name: 'On call', memberIds: [alan, grace] },
    ],
    channels: [...structuredClone(channels), ...further.flatMap((each) => each.channels)],
    messages: { C04ALERTS01: [alertMessage(alertTs)] },
    files: [],
    homes: {},
    installations: [],
    sessions: [],
    suggestions: {},
  };
}
