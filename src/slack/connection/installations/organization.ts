import type { InstallationStore } from '../../../store/installations.ts';
import { isRecord } from '../deliveries/delivery-address.ts';
import { changedTeams, installationOf } from './installation.ts';

type FinderParts = {
  store: Pick<InstallationStore, 'giveTeams' | 'oneOf' | 'teamOfChannel' | 'teamsOf'>;
  /** Returns true if the app is installed in this whole organization. */
  isInstalledIn(organizationId: string): Promise<boolean>;
  /** Returns true if the organization gave the app this workspace. `isShared`: the delivery may name another company's. */
  isKnown(teamId: string, organizationId: string, isShared: boolean): Promise<boolean>;
};

/**
 * Finds the workspace of a delivery. With an installation in an organization, it's one that the organization gave to the
 * app, never one that only the delivery names. See docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md.
 * @returns undefined if it's none of ours, such as another company's message in a channel that the app doesn't know
 */
export function createWorkspaceFinder({ store, isInstalledIn, isKnown }: FinderParts) {
  return async (body: unknown): Promise<string | undefined> => {
    if (!isRecord(body)) return undefined;
    const origin = installationOf(body);
    const { teamIds, enterpriseId, isWholeOrg, isMarked, isAboutApp } = origin;
    const { channelId, isShared = false } = origin;
    const mayBeWhole = (isWholeOrg || isAboutApp) && enterpriseId !== undefined;
    if (!mayBeWhole || !(await isInstalledIn(enterpriseId)))
      return isWholeOrg ? undefined : teamIds[0];
    const { isGiven, teamIds: given } = changedTeams(body);
    if (isGiven) await store.giveTeams(given, enterpriseId);
    const isEvent = 'event' in body;
    const findOfChannel = async () => channelId && store.teamOfChannel(channelId, enterpriseId);
    const ofClick = isEvent ? undefined : await findOfChannel();
    if (ofClick) return ofClick;
    for (const teamId of teamIds) if (await isKnown(teamId, enterpriseId, isShared)) return teamId;
    if (isAboutApp) return store.oneOf(enterpriseId);
    if (isEvent) return findOfChannel();
    if (isMarked) return undefined;
    // The person chooses a workspace next.
    if (body['type'] === 'shortcut') return store.oneOf(enterpriseId);
    const [only, ...others] = await store.teamsOf(enterpriseId);
    return others.length === 0 ? only : undefined;
  };
}
