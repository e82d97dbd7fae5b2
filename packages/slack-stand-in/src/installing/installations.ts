import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { appUninstalled, tokensRevoked } from '../payloads/lifecycle.ts';
import { findInstallation } from '../world/directory.ts';
import type { Installation, World } from '../world/world.ts';
import { addDirectChannels, installApp, rotatingToken } from './installing.ts';

type Parts = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
};

/** Installs the app into teams and removes it. */
export class Installations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param enterpriseId for a whole organization */
  install(
    teamId: string,
    installedBy: string,
    scopes: readonly string[],
    enterpriseId?: string,
  ): Installation {
    const { world, manifest, changes } = this.#parts;
    // Scopes add up while the app is installed.
    const granted = enterpriseId ? [] : (findInstallation(world, teamId)?.scopes ?? []);
    const installation = installApp(world, { manifest, teamId, enterpriseId, installedBy });
    installation.scopes = [...new Set([...granted, ...scopes])];
    changes.emit({ type: 'installation', teamId });
    return installation;
  }

  installAgain({ teamId, installedBy }: Installation, { keepsToken } = { keepsToken: false }) {
    const { world, manifest } = this.#parts;
    const now = findInstallation(world, teamId);
    if (!keepsToken || !now)
      return this.install(teamId, installedBy, manifest.oauth_config.scopes.bot);
    this.grant(now);
    return now;
  }

  /** The token stays, with these scopes of the manifest, or with all. Slack tells no one. */
  grant({ botToken, teamId }: Installation, granted?: readonly string[]): void {
    const { world, manifest, changes } = this.#parts;
    const { bot: all } = manifest.oauth_config.scopes;
    const scopes = granted ? all.filter((scope) => granted.includes(scope)) : [...all];
    for (const each of world.installations) if (each.botToken === botToken) each.scopes = scopes;
    changes.emit({ type: 'installation', teamId });
  }

  /**
   * A new token for a refresh token, which then is used up. The token before works until it expires.
   * @returns undefined if nobody has this refresh token
   */
  refresh(refreshToken: string): Installation | undefined {
    const { world, changes } = this.#parts;
    const before = world.installations.filter(
      (each) => each.refreshToken === refreshToken && each.status === 'active',
    );
    const token = rotatingToken();
    // Last, because the newest one counts. The teams of an organization share one.
    const refreshed = before.map((each) => ({ ...each, ...token }));
    world.installations.push(...refreshed);
    for (const each of before) {
      delete each.refreshToken;
      changes.emit({ type: 'installation', teamId: each.teamId });
    }
    return refreshed[0];
  }

  /** A team of an organization uses its token. */
  share(whole: Installation, teamId: string): void {
    const { world, changes } = this.#parts;
    const installation = { ...whole, teamId };
    world.installations.push(installation);
    addDirectChannels(world, installation);
    changes.emit({ type: 'installation', teamId });
  }

  /** The token stops working. The app stays in its channels. */
  async revoke(installation: Installation): Promise<void> {
    const { changes, clock, events } = this.#parts;
    const { teamId, botUserId } = installation;
    this.#endAll(installation, 'revoked');
    changes.emit({ type: 'installation', teamId });
    await events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs()));
  }

  /** Also the tokens that were refreshed and haven't expired yet. */
  end(teamId: string, status: 'revoked' | 'uninstalled'): void {
    for (const each of this.#parts.world.installations)
      if (each.teamId === teamId && each.status === 'active') each.status = status;
  }

  #endAll({ teamId, enterpriseId }: Installation, status: 'revoked' | 'uninstalled'): void {
    this.end(teamId, status);
    for (const each of this.#parts.world.installations)
      if (enterpriseId && each.enterpriseId === enterpriseId) each.status = status;
  }

  /** Slack sends both events, in any order. */
  async uninstall(installation: Installation): Promise<void> {
    const { world, changes, clock, events } = this.#parts;
    const { teamId, botUserId } = installation;
    this.#endAll(installation, 'uninstalled');
    for (const channel of world.channels) {
      if (channel.kind === 'im') continue;
      channel.memberIds = channel.memberIds.filter((id) => id !== botUserId);
    }
    // Slack shows no Home tab of an app that isn't installed, and doesn't bring the old one back later.
    for (const [key, home] of Object.entries(world.homes))
      if (home.teamId === teamId) delete world.homes[key];
    changes.emit({ type: 'installation', teamId });
    await Promise.all([
      events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs())),
      events.inTeam(teamId, 'app_uninstalled', appUninstalled(clock.nextTs())),
    ]);
  }
}
