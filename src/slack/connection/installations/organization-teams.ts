import type { WebClient } from '@slack/web-api';
import type { InstallationStore } from '../../../store/installations.ts';
import { isWorkspaceId } from '../../../store/workspace-id.ts';

/** Workspaces that the app got or lost. */
export type TeamChanges = { given: readonly string[]; taken: readonly string[] };

type TeamStore = Pick<InstallationStore, 'teamsOf' | 'giveTeams' | 'takeTeams'>;

const pageSize = 1_000;

/** The workspaces that an organization gives to the app, by its token. */
export async function listTeams({ auth }: Pick<WebClient, 'auth'>): Promise<string[]> {
  const teamIds: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await auth.teams.list({ limit: pageSize, ...(cursor && { cursor }) });
    // Without a list, all workspaces would be taken.
    if (!page.teams) throw new Error('auth.teams.list answered without teams');
    teamIds.push(...page.teams.map(({ id }) => id).filter(isWorkspaceId));
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return teamIds;
}

/** Stores what Slack lists. A workspace that was given while the list was read stays. */
export async function syncTeams(
  organizationId: string,
  store: TeamStore,
  list: () => Promise<readonly string[]>,
): Promise<TeamChanges> {
  const before = await store.teamsOf(organizationId);
  const listed = await list();
  const given = await store.giveTeams(listed, organizationId);
  return { given, taken: await store.takeTeams(missingOf(before, listed), organizationId) };
}

export const missingOf = (before: readonly string[], listed: readonly string[]): string[] =>
  before.filter((teamId) => !listed.includes(teamId));
