import { compact, type JsonObject } from '../lib/json.ts';
import { isMemberOf, organizationWith } from '../world/directory.ts';
import type { Installation, Person, UserGroup, World } from '../world/world.ts';

/** Returns a person in the format of `users.info` and `users.list`, with the fields that an installation can see. */
export function userPayload(
  world: World,
  person: Person,
  { teamId, enterpriseId, scopes }: Pick<Installation, 'teamId' | 'enterpriseId' | 'scopes'>,
  baseUrl: string,
): JsonObject {
  const organization = organizationWith(world, person.teamId);
  const hasEmail = scopes.includes('users:read.email');
  const isBot = person.role === 'bot';
  const isStranger = enterpriseId
    ? organization?.id !== enterpriseId && person.role !== 'bot'
    : !isMemberOf(person, teamId);
  const zone = zoneOf(person.timeZone);
  return compact({
    id: person.id,
    // Leave out `team_id` if the token and the person belong to an organization. Developers report that Slack does
    // this.
    team_id: enterpriseId && organization ? undefined : person.teamId,
    name: person.name,
    deleted: person.deactivated,
    color: '9f69e7',
    real_name: person.realName,
    tz: person.timeZone,
    tz_label: zone.label,
    tz_offset: zone.offsetSeconds,
    profile: compact({
      title: person.title,
      real_name: person.realName,
      real_name_normalized: person.realName,
      display_name: isBot ? '' : person.realName,
      display_name_normalized: isBot ? '' : person.realName,
      email: isBot || isStranger || !hasEmail ? undefined : person.email,
      image_24: pictureUrl(baseUrl, person.id, 24),
      image_48: pictureUrl(baseUrl, person.id, 48),
      image_72: pictureUrl(baseUrl, person.id, 72),
      status_text: '',
      status_emoji: '',
      team: person.teamId,
      bot_id: person.botId,
      api_app_id: person.appId,
    }),
    // Leave out the roles of people from other companies, as Slack does.
    ...(isStranger
      ? { is_stranger: true }
      : {
          ...adminRoles(person, enterpriseId !== undefined),
          is_restricted: person.role === 'guest',
          is_ultra_restricted: person.role === 'guest',
        }),
    enterprise_user: organization && {
      id: person.id,
      enterprise_id: organization.id,
      enterprise_name: organization.name,
      ...adminRoles(person, true),
      teams: [person.teamId, ...(person.moreTeamIds ?? [])],
    },
    is_bot: isBot,
    is_app_user: false,
    updated: 1_735_689_600,
    is_email_confirmed: isBot ? undefined : true,
  });
}

/**
 * Returns the admin flags of a person. With an organization's token, `is_admin` is true only for the organization's own
 * admins. Source: https://github.com/slackapi/bolt-js/issues/1566
 */
function adminRoles({ role, isOrgAdmin = false }: Person, ofOrganization: boolean) {
  const isOwner = role === 'owner';
  return ofOrganization
    ? { is_admin: isOrgAdmin, is_owner: false, is_primary_owner: false }
    : { is_admin: role === 'admin' || isOwner, is_owner: isOwner, is_primary_owner: isOwner };
}

function zoneOf(timeZone: string): { label: string; offsetSeconds: number } {
  const now = new Date();
  const part = (timeZoneName: 'long' | 'longOffset') =>
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName })
      .formatToParts(now)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(part('longOffset'));
  const seconds = match ? Number(match[2]) * 3600 + Number(match[3]) * 60 : 0;
  return { label: part('long'), offsetSeconds: match?.[1] === '-' ? -seconds : seconds };
}

export function botPayload(bot: Person): JsonObject {
  return compact({
    id: bot.botId,
    deleted: bot.deactivated,
    name: bot.realName,
    updated: 1_735_689_600,
    app_id: bot.appId,
    user_id: bot.id,
    icons: { image_36: '', image_48: '', image_72: '' },
  });
}

/** Returns the URL of a person's picture. `size` is one of Slack's sizes, in pixels. */
const pictureUrl = (baseUrl: string, personId: string, size: 24 | 48 | 72): string =>
  new URL(`/avatars/${personId}-${size}.svg`, baseUrl).href;

/** Background colors on which white text is readable. */
const colors = ['#1f6b5c', '#6b3fa0', '#8a4b12', '#1d4f91', '#9c2f4f', '#4d5d1a', '#355070'];

/** Draws a person's picture as SVG, with initials on a color that depends on the ID. */
export function drawPicture({ id, realName }: Pick<Person, 'id' | 'realName'>): string {
  const sum = [...id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const letters = realName.split(/[\s-]+/).map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? '');
  const initials = letters.slice(0, 2).join('').toUpperCase();
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 72">
<rect width="72" height="72" fill="${colors[sum % colors.length]}"/>
<text x="36" y="47" fill="#fff" font-family="sans-serif" font-size="30" text-anchor="middle">${initials}</text>
</svg>`;
}

const createdSeconds = 1_735_689_600;

export const userGroupPayload = ({ id, teamId, handle, name }: UserGroup): JsonObject => ({
  id,
  team_id: teamId,
  is_usergroup: true,
  is_subteam: true,
  name,
  description: '',
  handle,
  is_external: false,
  date_create: createdSeconds,
  date_update: createdSeconds,
  date_delete: 0,
  auto_type: null,
  created_by: 'USLACKBOT',
  updated_by: 'USLACKBOT',
  deleted_by: null,
  prefs: { channels: [], groups: [] },
});

export const subteamUpdated = (group: UserGroup, ts: string): JsonObject => ({
  type: 'subteam_updated',
  subteam: {
    ...userGroupPayload(group),
    users: group.memberIds,
    user_count: group.memberIds.length,
  },
  event_ts: ts,
});

type MembersChanged = { added: string[]; removed: string[]; ts: string };

/**
 * Creates the event that Slack sends after the members of a user group changed. The format is from the documentation,
 * which has no sample.
 */
export const subteamMembersChanged = (
  { id, teamId }: UserGroup,
  { added, removed, ts }: MembersChanged,
): JsonObject => ({
  type: 'subteam_members_changed',
  subteam_id: id,
  team_id: teamId,
  date_previous_update: createdSeconds,
  date_update: Math.floor(Number(ts)),
  added_users: added,
  added_users_count: added.length,
  removed_users: removed,
  removed_users_count: removed.length,
  event_ts: ts,
});

/** Creates the event that Slack sends after the app itself joined or left a user group. */
export const subteamSelf = (
  type: 'subteam_self_added' | 'subteam_self_removed',
  { id }: UserGroup,
  ts: string,
): JsonObject => ({ type, subteam_id: id, event_ts: ts });
