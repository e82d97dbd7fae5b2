import { isWorkspaceId } from '../../../store/workspace-id.ts';
import { type Fields, fieldsOf, isRecord, textOf } from '../deliveries/delivery-address.ts';
import { markedWorkspace, workspaceOfRun } from '../workspace-marks.ts';

/** The app's bot, as Slack names it. Known once the app has started. */
export type Identity = {
  teamId: string;
  enterpriseId?: string;
  botId: string;
  botUserId: string;
  /** Granted when the app was installed by OAuth. */
  scopes?: readonly string[];
};

/** Where a delivery comes from, in Slack's words. */
export type Origin = {
  /** Workspaces that it may belong to, the best first. */
  teamIds: readonly string[];
  enterpriseId: string | undefined;
  /** With an installation in a whole organization, Slack may name none of its workspaces, or another company's. */
  isWholeOrg: boolean;
  /** Someone acted on what the app showed in a workspace. It can't be for another one. */
  isMarked?: boolean;
  /** Channel of the delivery, if Slack may not name a workspace of ours. */
  channelId?: string | undefined;
  /** The channel is shared with another company, whose workspace may be named. */
  isShared?: boolean;
  /** About the installation, not about one of its workspaces. */
  isAboutApp?: boolean;
};

/**
 * True if Slack delivers this to this installation of the app: deliveries of all its installations can arrive at the same
 * address. One that names no installation passes.
 */
export function isForInstallation(body: unknown, ours: Identity): boolean {
  if (!isRecord(body)) return true;
  const { teamIds, enterpriseId, isWholeOrg } = installationOf(body);
  if (teamIds[0] !== undefined) return teamIds[0] === ours.teamId;
  return enterpriseId === undefined || (!isWholeOrg && enterpriseId === ours.enterpriseId);
}

/** No schema: it would take longer than the rest of a delivery. */
export function installationOf(body: Fields): Origin {
  return 'event' in body ? originOfEvent(body) : originOfInteraction(body);
}

const aboutApp = new Set([
  ...['app_uninstalled', 'tokens_revoked', 'team_access_granted', 'team_access_revoked'],
]);

/**
 * `team_id` is that of the person in channels that are shared with other companies (bolt-js#687), and then
 * `context_team_id` can be null or the other company's.
 */
function originOfEvent(body: Fields): Origin {
  const [first] = Array.isArray(body['authorizations']) ? body['authorizations'] : [];
  const authorization = fieldsOf(first);
  const event = fieldsOf(body['event']);
  const isWholeOrg = authorization['is_enterprise_install'] === true;
  const named = [authorization['team_id'], body['team_id']];
  const more = isWholeOrg ? [body['context_team_id'], event['team']] : [];
  return {
    teamIds: [...named, ...more].filter(isWorkspaceId),
    enterpriseId: textOf(authorization['enterprise_id']) ?? textOf(body['enterprise_id']),
    isWholeOrg,
    isShared: body['is_ext_shared_channel'] === true,
    ...(isWholeOrg && { channelId: channelOf(event) }),
    isAboutApp: aboutApp.has(textOf(event['type']) ?? ''),
  };
}

const channelOf = ({ channel, item }: Fields): string | undefined =>
  textOf(channel) ?? textOf(fieldsOf(channel)['id']) ?? textOf(fieldsOf(item)['channel']);

/** A command's fields, then an interaction's. */
function originOfInteraction(body: Fields): Origin {
  // With an installation in a whole organization, `team` is null, and people are in the same workspace everywhere.
  const home = fieldsOf(body['team'])['id'] ?? fieldsOf(body['user'])['team_id'];
  const isWholeOrg = `${body['is_enterprise_install']}` === 'true';
  const enterprise = textOf(body['enterprise_id']) ?? textOf(fieldsOf(body['enterprise'])['id']);
  const from = { enterpriseId: enterprise, isWholeOrg };
  const marked = markedWorkspace(body);
  if (marked) return { ...from, teamIds: [marked], isMarked: true };
  const shown = isWholeOrg ? shownIn(body) : [installedIn(body)];
  const teamIds = [...shown, body['team_id'], home].filter(isWorkspaceId);
  // A command names its workspace.
  const channelId = textOf(fieldsOf(body['channel'])['id']);
  return { ...from, teamIds, ...(isWholeOrg && { channelId }) };
}

/** Workspaces that an organization gives to the app or takes from it. */
export function changedTeams(body: Fields): { isGiven: boolean; teamIds: readonly string[] } {
  const { type, team_ids: ids } = fieldsOf(body['event']);
  const isGiven = type === 'team_access_granted';
  if (!isGiven && type !== 'team_access_revoked') return { isGiven, teamIds: [] };
  return { isGiven, teamIds: (Array.isArray(ids) ? ids : []).filter(isWorkspaceId) };
}

/** Best first: a view names a workspace of the person, wherever they are. */
const shownIn = (body: Fields) => [
  workspaceOfRun(body),
  fieldsOf(body['message'])['team'],
  fieldsOf(body['view'])['team_id'],
];

/** `team` is the workspace of the person, which is another one in channels that are shared with other companies. */
function installedIn({ type, view, message }: Fields): string | undefined {
  const app = textOf(fieldsOf(view)['app_installed_team_id']);
  return app ?? (type === 'block_actions' ? textOf(fieldsOf(message)['team']) : undefined);
}
