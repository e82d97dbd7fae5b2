import { WebAPIPlatformError } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { OAuthConfig } from '../../../config/bot-config.ts';
import { atMost } from '../../../lib/at-most.ts';
import type { Logger } from '../../../lib/logger.ts';
import { waitForStore } from '../../../store/database/wait-for-store.ts';
import type { Installation, InstallationStore } from '../../../store/installations.ts';
import { isRecord } from '../deliveries/delivery-address.ts';
import { changedTeams, type Identity, installationOf } from './installation.ts';
import type { Installations, Tokens } from './installations.ts';
import type { RefreshToken } from './token-rotation.ts';

type OAuthParts = {
  store: Pick<
    InstallationStore,
    'begin' | 'find' | 'findOfTeam' | 'addTeam' | 'giveTeams' | 'takeTeams' | 'oneOf' | 'remove'
  >;
  refresh: RefreshToken;
  /** Whether Slack accepts this token. */
  isAccepted(token: string): Promise<boolean>;
  oauth: Pick<OAuthConfig, 'scopes' | 'publicUrl'>;
  logger: Logger;
};

/** Another replica may have installed the app or refreshed the token. */
const freshMs = 5_000;
const mostKnown = 10_000;

/** Many workspaces, each with the token of its own installation, or of its organization. */
export function createOAuthInstallations(parts: OAuthParts): Installations {
  const { store, refresh, oauth, logger } = parts;
  const known = new LRUCache<string, { installation: Installation; readAt: number }>(
    atMost(mostKnown),
  );

  /** From the store, unless it was read just now. While the store doesn't answer, what is known counts. */
  async function read(teamId: string): Promise<Installation | undefined> {
    const found = known.get(teamId);
    if (found && Date.now() - found.readAt < freshMs) return found.installation;
    return readAgain(teamId).catch((error: unknown) => {
      if (!found) throw error;
      return found.installation;
    });
  }

  async function readAgain(teamId: string): Promise<Installation | undefined> {
    const readAt = Date.now();
    const installation = await store.findOfTeam(teamId);
    const later = known.get(teamId);
    if (later && later.readAt > readAt) return later.installation;
    if (installation) known.set(teamId, { installation, readAt });
    else known.delete(teamId);
    return installation;
  }

  async function load(teamId: string): Promise<Identity | undefined> {
    const found = await read(teamId);
    return found && identityOf(teamId, found);
  }

  async function find(body: unknown): Promise<Identity | undefined> {
    if (!isRecord(body)) return undefined;
    const { teamId, enterpriseId } = installationOf(body);
    const identity = teamId === undefined ? undefined : await load(teamId);
    if (enterpriseId === undefined) return identity;
    const { isGiven, teamIds } = changedTeams(body);
    if (identity && !isGiven) return identity;
    if (!(await store.find(enterpriseId))) return identity;
    if (isGiven) await store.giveTeams(teamIds, enterpriseId);
    // The first delivery from this workspace of an organization.
    else if (teamId !== undefined) await store.addTeam(teamId, enterpriseId);
    const served = teamId ?? (await store.oneOf(enterpriseId));
    return served === undefined ? undefined : load(served);
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
    find,
    tokensOf,
    async start(waiting) {
      const workspaces = await waitForStore(store.begin, waiting);
      return workspaces === undefined ? undefined : { workspaces };
    },
    recall(teamId) {
      const found = known.get(teamId);
      return found && identityOf(teamId, found.installation);
    },
    async lost(teamId) {
      const found = await readAgain(teamId);
      // Slack rejects an expired token too.
      const token = found && (await refresh(found, 'if it expires'));
      // The news may be late, or of another workspace of the organization.
      if (token === undefined || (await parts.isAccepted(token))) return;
      const installation = await readAgain(teamId);
      if (installation?.token !== token) return;
      await store.remove(installation);
      await readAgain(teamId);
      logger.info({ teamId, name: installation.name }, 'The app was removed from a workspace');
    },
    async taken(teamIds, enterpriseId) {
      const taken = await store.takeTeams(teamIds, enterpriseId);
      await Promise.all(taken.map(readAgain));
      return taken;
    },
    async adminsWork(teamId) {
      const granted = new Set((await readAgain(teamId))?.scopes);
      const scopes = oauth.scopes.filter((scope) => !granted.has(scope));
      if (granted.size === 0 || scopes.length === 0) return undefined;
      const query = `team=${teamId}&scope=${scopes.join(',')}`;
      return { scopes, url: `${oauth.publicUrl}/slack/install?${query}` };
    },
  };
}

const identityOf = (teamId: string, { botId, botUserId, scopes }: Installation): Identity => ({
  teamId,
  botId,
  botUserId,
  ...(scopes.length > 0 && { scopes }),
});

/** What Slack says of an app that isn't installed. */
const notInstalled = () => new WebAPIPlatformError({ ok: false, error: 'account_inactive' });
