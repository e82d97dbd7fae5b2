import { WebAPIPlatformError } from '@slack/web-api';
import { waitForStore } from 'base/database/wait-for-store';
import type { Logger } from 'base/logger';
import type { OAuthConfig } from '../../../config/bot-config.ts';
import type { Installation, InstallationStore } from '../../../store/installations.ts';
import type { Identity, Installations, Tokens } from './installations.ts';
import { createWorkspaceFinder, createWorkspaceMemory, syncTeams } from './organization.ts';
import type { RefreshToken } from './token-rotation.ts';

type OAuthDeps = {
  store: InstallationStore;
  refresh: RefreshToken;
  /** Returns true if Slack accepts this token. */
  isAccepted(token: string): Promise<boolean>;
  /** Lists the workspaces that an organization gives to the app. */
  listTeams(token: string): Promise<readonly string[]>;
  oauth: Pick<OAuthConfig, 'scopes' | 'publicUrl'>;
  logger: Logger;
};

/**
 * Creates the installations of many workspaces. Each workspace uses the token of its installation or of its
 * organization.
 */
export function createOAuthInstallations(deps: OAuthDeps): Installations {
  const { store, refresh, oauth, logger } = deps;
  const { read, readAgain, recall } = createWorkspaceMemory(store.findOfTeam);
  const findWorkspace = createWorkspaceFinder({
    store,
    isInstalledIn: async (organizationId) => (await store.find(organizationId)) !== undefined,
    /**
     * Returns true if the organization gave the app this workspace. Also returns true for a workspace with its own
     * installation, which stays valid when its organization installs the app.
     */
    async isKnown(teamId, organizationId, isShared) {
      const id = (await read(teamId))?.id;
      return id === organizationId || (!isShared && id === teamId);
    },
  });

  async function load(teamId: string): Promise<Identity | undefined> {
    const found = await read(teamId);
    return found && identityOf(teamId, found);
  }

  async function readNow(teamId: string): Promise<Installation> {
    const found = await read(teamId);
    if (!found) throw notInstalled();
    return found;
  }

  const tokensOf = (teamId: string): Tokens => ({
    async read() {
      const installation = await readNow(teamId);
      const token = await refresh(installation, 'if it expires');
      if (token !== installation.token) await readAgain(teamId);
      return token;
    },
    async replace(rejected) {
      const installation = await readAgain(teamId);
      if (!installation) return false;
      if (installation.token !== rejected) return true;
      const token = await refresh(installation, 'now');
      await readAgain(teamId);
      return token !== rejected;
    },
  });

  return {
    load,
    async find(body) {
      const teamId = await findWorkspace(body);
      return teamId === undefined ? undefined : load(teamId);
    },
    tokensOf,
    async start(waiting) {
      const workspaces = await waitForStore(store.begin, waiting);
      return workspaces === undefined ? undefined : { workspaces };
    },
    recall(teamId) {
      const found = recall(teamId);
      return found && identityOf(teamId, found);
    },
    async lost(teamId) {
      const found = await readAgain(teamId);
      // Refresh the token first, because Slack also rejects an expired one.
      const token = found && (await refresh(found, 'if it expires'));
      // Ignore the event if the token still works. It may be late, or about another workspace of the organization.
      if (token === undefined || (await deps.isAccepted(token))) return;
      const installation = await readAgain(teamId);
      if (installation?.token !== token) return;
      await store.remove(installation);
      await readAgain(teamId);
      logger.info({ teamId, name: installation.name }, 'The app was removed from a workspace');
    },
    isShared: () => true,
    organizations: {
      list: store.organizations,
      async read(organizationId) {
        const changes = await syncTeams(organizationId, store, async () => {
          const installation = await store.find(organizationId);
          if (!installation) throw notInstalled();
          return deps.listTeams(await refresh(installation, 'if it expires'));
        });
        await Promise.all(changes.taken.map(readAgain));
        return changes;
      },
      async taken(teamIds, organizationId) {
        const taken = await store.takeTeams(teamIds, organizationId);
        await Promise.all(taken.map(readAgain));
        return taken;
      },
    },
    allowUrl: (teamId, scopes) =>
      `${oauth.publicUrl}/slack/install?team=${teamId}&scope=${scopes.join(',')}`,
  };
}

const identityOf = (teamId: string, { botId, botUserId, scopes }: Installation): Identity => ({
  teamId,
  botId,
  botUserId,
  ...(scopes.length > 0 && { scopes }),
});

/** Creates the error that Slack returns to an app that isn't installed. */
const notInstalled = () => new WebAPIPlatformError({ ok: false, error: 'account_inactive' });
