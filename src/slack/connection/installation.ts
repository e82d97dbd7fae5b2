import { isRecord } from './delivery-address.ts';

type Fields = Partial<Record<string, unknown>>;

/** What Slack says about the app's bot. Known once the app has started. */
export type Identity = {
  teamId: string;
  enterpriseId?: string;
  botId: string;
  botUserId: string;
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
  const person = textOf(body['team_id']) ?? textOf(fieldsOf(body['team'])['id']);
  const enterprise = textOf(body['enterprise_id']) ?? textOf(fieldsOf(body['enterprise'])['id']);
  return {
    teamId: installedIn(body) ?? person,
    enterpriseId: enterprise,
    isWholeOrg: `${body['is_enterprise_install']}` === 'true',
  };
}

/** `team` is the workspace of the person, which is another one in channels that are shared with other companies. */
function installedIn({ type, view, message }: Fields): string | undefined {
  const app = textOf(fieldsOf(view)['app_installed_team_id']);
  return app ?? (type === 'block_actions' ? textOf(fieldsOf(message)['team']) : undefined);
}

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
