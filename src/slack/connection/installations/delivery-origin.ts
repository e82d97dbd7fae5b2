import { isWorkspaceId } from '../../../store/workspace-id.ts';
import { type Fields, fieldsOf, isRecord, textOf } from '../deliveries/delivery-address.ts';
import { markedWorkspace, workspaceOfRun } from '../workspace-marks.ts';
import type { Identity } from './installations.ts';

/** Workspaces, organization and channel that Slack names in a delivery. */
export type Origin = {
  /** Workspaces that the delivery may belong to, the best guess first. */
  teamIds: readonly string[];
  enterpriseId: string | undefined;
  /**
   * True if the app is installed in a whole organization. Slack may then name none of its workspaces, or another
   * company's.
   */
  isWholeOrg: boolean;
  /** True if the app marked the view or message with its workspace. The delivery can't be for another workspace. */
  isMarked?: boolean;
  /**
   * Channel of the delivery. Set only with an installation in a whole organization, because Slack may not name the
   * right workspace.
   */
  channelId?: string | undefined;
  /** True if the channel is shared with another company. Slack may then name that company's workspace. */
  isShared?: boolean;
  /** True if the delivery is about the installation, not about one of its workspaces. */
  isAboutApp?: boolean;
};

/**
 * Returns true if a delivery is for this installation of the app, or names no installation. Deliveries of all
 * installations can arrive at the same address.
 */
export function isForInstallation(
  body: unknown,
  ours: Pick<Identity, 'teamId' | 'enterpriseId'>,
): boolean {
  if (!isRecord(body)) return true;
  const { teamIds, enterpriseId, isWholeOrg } = originOf(body);
  if (teamIds[0] !== undefined) return teamIds[0] === ours.teamId;
  return enterpriseId === undefined || (!isWholeOrg && enterpriseId === ours.enterpriseId);
}

/**
 * Reads the origin of a delivery. Doesn't use zod, because parsing would take longer than handling the rest of a
 * delivery.
 */
export function originOf(body: Fields): Origin {
  return 'event' in body ? originOfEvent(body) : originOfInteraction(body);
}

const aboutApp = new Set([
  ...['app_uninstalled', 'tokens_revoked', 'team_access_granted', 'team_access_revoked'],
]);

/**
 * Reads the origin of an event. In channels shared with other companies, `team_id` is the person's workspace
 * (bolt-js#687). There, `context_team_id` can be null or the other company's.
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

/** Reads the origin of a command or an interaction, which name their workspace in different fields. */
function originOfInteraction(body: Fields): Origin {
  // Use the person's workspace if `team` is null, as with an installation in a whole organization. Slack names the
  // same workspace for a person everywhere.
  const home = fieldsOf(body['team'])['id'] ?? fieldsOf(body['user'])['team_id'];
  const isWholeOrg = `${body['is_enterprise_install']}` === 'true';
  const enterprise = textOf(body['enterprise_id']) ?? textOf(fieldsOf(body['enterprise'])['id']);
  const from = { enterpriseId: enterprise, isWholeOrg };
  const marked = markedWorkspace(body);
  if (marked) return { ...from, teamIds: [marked], isMarked: true };
  const shown = isWholeOrg ? shownIn(body) : [installedIn(body)];
  const teamIds = [...shown, body['team_id'], home].filter(isWorkspaceId);
  // Read the channel of an interaction. A command needs none, because it names its workspace.
  const channelId = textOf(fieldsOf(body['channel'])['id']);
  return { ...from, teamIds, ...(isWholeOrg && { channelId }) };
}

/** Returns the workspaces that an organization gives to the app or takes from it. */
export function changedTeams(body: Fields): { isGiven: boolean; teamIds: readonly string[] } {
  const { type, team_ids: ids } = fieldsOf(body['event']);
  const isGiven = type === 'team_access_granted';
  if (!isGiven && type !== 'team_access_revoked') return { isGiven, teamIds: [] };
  return { isGiven, teamIds: (Array.isArray(ids) ? ids : []).filter(isWorkspaceId) };
}

/**
 * Returns workspaces that the message or view names, the best guess first. A view's workspace comes last, because Slack
 * always names the person's own workspace there.
 */
const shownIn = (body: Fields) => [
  workspaceOfRun(body),
  fieldsOf(body['message'])['team'],
  fieldsOf(body['view'])['team_id'],
];

/**
 * Returns the workspace where the app is installed, from the view or message. Doesn't read the body's `team`, because
 * that is the workspace of the person who clicked.
 */
function installedIn({ type, view, message }: Fields): string | undefined {
  const app = textOf(fieldsOf(view)['app_installed_team_id']);
  return app ?? (type === 'block_actions' ? textOf(fieldsOf(message)['team']) : undefined);
}
