import { type Fields, fieldsOf, isRecord, textOf } from '../deliveries/delivery-address.ts';

/** What Slack says about the app's bot. Known once the app has started. */
export type Identity = {
  teamId: string;
  enterpriseId?: string;
  botId: string;
  botUserId: string;
  /** Granted when the app was installed by OAuth. */
  scopes?: readonly string[];
};

/**
 * Whether Slack delivers this to this installation of the app: deliveries of all its installations can arrive at the same
 * address. What names none passes.
 */
export function isForInstallation(body: unknown, ours: Identity): boolean {
  if (!isRecord(body)) return true;
  const { teamId, enterpriseId, isWholeOrg } = installationOf(body);
  if (teamId !== undefined && !isWholeOrg) return teamId === ours.teamId;
  return enterpriseId === undefined || enterpriseId === ours.enterpriseId;
}

/** No schema: it would take longer than the rest of a delivery. */
export function installationOf(body: Fields) {
  if ('event' in body) {
    const [first] = Array.isArray(body['authorizations']) ? body['authorizations'] : [];
    const authorization = fieldsOf(first);
    return {
      teamId: textOf(authorization['team_id']) ?? textOf(body['team_id']),
      enterpriseId: textOf(authorization['enterprise_id']) ?? textOf(body['enterprise_id']),
      isWholeOrg: authorization['is_enterprise_install'] === true,
    };
  }
  // A command's fields, then an interaction's.
  // With an installation in a whole organization, `team` is null.
  const home = fieldsOf(body['team'])['id'] ?? fieldsOf(body['user'])['team_id'];
  const person = textOf(body['team_id']) ?? textOf(home);
  const isWholeOrg = `${body['is_enterprise_install']}` === 'true';
  const enterprise = textOf(body['enterprise_id']) ?? textOf(fieldsOf(body['enterprise'])['id']);
  return {
    teamId: (isWholeOrg ? undefined : installedIn(body)) ?? person,
    enterpriseId: enterprise,
    isWholeOrg,
  };
}

/** Workspaces that an organization gives to the app or takes from it. */
export function changedTeams(body: Fields): { isGiven: boolean; teamIds: readonly string[] } {
  const { type, team_ids: ids } = fieldsOf(body['event']);
  const isGiven = type === 'team_access_granted';
  if (!isGiven && type !== 'team_access_revoked') return { isGiven, teamIds: [] };
  return { isGiven, teamIds: (Array.isArray(ids) ? ids : []).flatMap((id) => textOf(id) ?? []) };
}

/** `team` is the workspace of the person, which is another one in channels that are shared with other companies. */
function installedIn({ type, view, message }: Fields): string | undefined {
  const app = textOf(fieldsOf(view)['app_installed_team_id']);
  return app ?? (type === 'block_actions' ? textOf(fieldsOf(message)['team']) : undefined);
}
