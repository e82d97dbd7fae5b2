import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import type { InstallationStore } from '../../../store/installations.ts';
import { isWorkspaceId } from '../../../store/workspace-id.ts';
import { isRecord } from '../deliveries/delivery-address.ts';
import { changedTeams, originOf } from './delivery-origin.ts';
import type { TeamChanges } from './installations.ts';

type FinderDeps = {
  store: InstallationStore;
  /** Returns true if the app is installed in this whole organization. */
  isInstalledIn(organizationId: string): Promise<boolean>;
  /**
   * Returns true if the organization gave the app this workspace. If `isShared`, the workspace may be another
   * company's.
   */
  isKnown(teamId: string, organizationId: string, isShared: boolean): Promise<boolean>;
};

/**
 * Creates a function that finds the workspace of a delivery. With an installation in an organization, returns only
 * workspaces that the organization gave to the app. A workspace that only the delivery names isn't trusted. Returns
 * undefined for other workspaces, such as another company's in a channel that the app doesn't know. See
 * docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md.
 */
export function createWorkspaceFinder({ store, isInstalledIn, isKnown }: FinderDeps) {
  return async (body: unknown): Promise<string | undefined> => {
    if (!isRecord(body)) return undefined;
    const origin = originOf(body);
    const { teamIds, enterpriseId, isWholeOrg, isMarked, isAboutApp } = origin;
    const { channelId, isShared = false } = origin;
    const mightBeWhole = (isWholeOrg || isAboutApp) && enterpriseId !== undefined;
    if (!mightBeWhole || !(await isInstalledIn(enterpriseId)))
      return isWholeOrg ? undefined : teamIds[0];
    const { isGiven, teamIds: granted } = changedTeams(body);
    if (isGiven) await store.giveTeams(granted, enterpriseId);
    const isEvent = 'event' in body;
    const findOfChannel = async () => channelId && store.teamOfChannel(channelId, enterpriseId);
    const ofClick = isEvent ? undefined : await findOfChannel();
    if (ofClick) return ofClick;
    for (const teamId of teamIds) if (await isKnown(teamId, enterpriseId, isShared)) return teamId;
    if (isAboutApp) return store.oneOf(enterpriseId);
    if (isEvent) return findOfChannel();
    if (isMarked) return undefined;
    // Use any of the organization's workspaces for a global shortcut, because the person chooses one next.
    if (body['type'] === 'shortcut') return store.oneOf(enterpriseId);
    const [only, ...others] = await store.teamsOf(enterpriseId);
    return others.length === 0 ? only : undefined;
  };
}

const pageSize = 1_000;

type ListPage = WebClient['auth']['teams']['list'];

/** Lists the workspaces that an organization gives to the app. @param listPage uses the organization's token */
export async function listTeams(listPage: ListPage): Promise<string[]> {
  const teamIds: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listPage({ limit: pageSize, ...(cursor && { cursor }) });
    // Reject an answer without a list, because an empty list would remove all workspaces.
    if (!page.teams) throw new Error('auth.teams.list answered without teams');
    teamIds.push(...page.teams.map(({ id }) => id).filter(isWorkspaceId));
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return teamIds;
}

/**
 * Stores the workspaces that Slack lists for an organization. Keeps a workspace that was given while the list was read.
 */
export async function syncTeams(
  organizationId: string,
  store: InstallationStore,
  list: () => Promise<readonly string[]>,
): Promise<TeamChanges> {
  const before = await store.teamsOf(organizationId);
  const listed = await list();
  const given = await store.giveTeams(listed, organizationId);
  return { given, taken: await store.takeTeams(missingOf(before, listed), organizationId) };
}

export const missingOf = (before: readonly string[], listed: readonly string[]): string[] =>
  before.filter((teamId) => !listed.includes(teamId));

/** Max age of a remembered entry, in ms. Another replica may have installed the app or refreshed the token. */
const freshMs = 5_000;
const maxRemembered = 10_000;

/**
 * Creates a memory of the store's entries for workspaces.
 * @param ask reads the store, and returns undefined without an installation
 */
export function createWorkspaceMemory<Entry extends object>(
  ask: (teamId: string) => Promise<Entry | undefined>,
) {
  const memory = new LRUCache<string, { entry: Entry; readAt: number }>(entryLimit(maxRemembered));

  /**
   * Returns the remembered entry if it was read just now, and otherwise reads the store. While the store is
   * unavailable, returns an older entry.
   */
  async function read(teamId: string): Promise<Entry | undefined> {
    const found = memory.get(teamId);
    if (found && Date.now() - found.readAt < freshMs) return found.entry;
    return readAgain(teamId).catch((error: unknown) => {
      if (!found) throw error;
      return found.entry;
    });
  }

  async function readAgain(teamId: string): Promise<Entry | undefined> {
    const readAt = Date.now();
    const entry = await ask(teamId);
    const later = memory.get(teamId);
    if (later && later.readAt > readAt) return later.entry;
    if (entry) memory.set(teamId, { entry, readAt });
    else memory.delete(teamId);
    return entry;
  }

  return { read, readAgain, recall: (teamId: string) => memory.get(teamId)?.entry };
}
