import type { AppEvents } from '../deliveries/app-events.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Changes } from '../lib/changes.ts';
import { type Clock, newId } from '../lib/ids.ts';
import type { AppManifest } from '../manifest.ts';
import { appUninstalled, teamAccessChanged, tokensRevoked } from '../payloads/event.ts';
import { findInstallation } from '../world/directory.ts';
import type { Installation, Organization, World } from '../world/world.ts';
import { addDirectChannels, installApp, rotatingToken, wholeOrganization } from './installing.ts';

type InstallationsDeps = {
  world: World;
  manifest: AppManifest;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
};

/** Installs the app in teams, changes its tokens, and removes it. */
export class Installations {
  readonly #deps: InstallationsDeps;

  constructor(deps: InstallationsDeps) {
    this.#deps = deps;
  }

  /**
   * Installs the app in a team.
   * @param enterpriseId organization, if the app is installed in the whole organization
   */
  install(
    teamId: string,
    installedBy: string,
    scopes: readonly string[],
    enterpriseId?: string,
  ): Installation {
    const { world, manifest, changes } = this.#deps;
    // Keep the scopes of earlier installations. In Slack, scopes add up until the app is removed.
    const granted = enterpriseId ? [] : (findInstallation(world, teamId)?.scopes ?? []);
    const installation = installApp(world, { manifest, teamId, enterpriseId, installedBy });
    installation.scopes = [...new Set([...granted, ...scopes])];
    changes.emit({ type: 'installation', teamId });
    return installation;
  }

  installAgain({ teamId, installedBy }: Installation, { keepsToken } = { keepsToken: false }) {
    const { world, manifest } = this.#deps;
    const now = findInstallation(world, teamId);
    if (!keepsToken || !now)
      return this.install(teamId, installedBy, manifest.oauth_config.scopes.bot);
    this.grant(now);
    return now;
  }

  /**
   * Changes the scopes and keeps the token. Grants all scopes of the manifest by default. Sends the app no event, as in
   * Slack.
   */
  grant({ botToken, teamId }: Installation, granted?: readonly string[]): void {
    const { world, manifest, changes } = this.#deps;
    const { bot: all } = manifest.oauth_config.scopes;
    const scopes = granted ? all.filter((scope) => granted.includes(scope)) : [...all];
    for (const each of world.installations) if (each.botToken === botToken) each.scopes = scopes;
    changes.emit({ type: 'installation', teamId });
  }

  /**
   * Exchanges a refresh token for a new bot token. The old bot token works until it expires, but the refresh token
   * doesn't work again.
   * @returns undefined if the refresh token isn't valid
   */
  refresh(refreshToken: string): Installation | undefined {
    const { world, changes } = this.#deps;
    const before = world.installations.filter(
      (each) => each.refreshToken === refreshToken && each.status === 'active',
    );
    const token = rotatingToken();
    // Append the new installations, because the last one is current. Update all installations that share the token,
    // such as those of an organization.
    const refreshed = before.map((each) => ({ ...each, ...token }));
    world.installations.push(...refreshed);
    for (const each of before) {
      delete each.refreshToken;
      changes.emit({ type: 'installation', teamId: each.teamId });
    }
    return refreshed[0];
  }

  /** Adds the organization's installation to one of its teams, with the organization's token. */
  share(whole: Installation, teamId: string): void {
    const { world, changes } = this.#deps;
    const installation = { ...whole, teamId };
    world.installations.push(installation);
    addDirectChannels(world, installation);
    changes.emit({ type: 'installation', teamId });
  }

  /** Revokes the team's bot token. The app stays in its channels. */
  async revoke(installation: Installation): Promise<void> {
    const { changes, clock, events } = this.#deps;
    const { teamId, botUserId } = installation;
    this.#endAll(installation, 'revoked');
    changes.emit({ type: 'installation', teamId });
    await events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs()));
  }

  /** Ends the team's bot tokens, including refreshed tokens that haven't expired yet. */
  end(teamId: string, status: 'revoked' | 'uninstalled'): void {
    for (const each of this.#deps.world.installations)
      if (each.teamId === teamId && each.status === 'active') each.status = status;
  }

  #endAll({ teamId, enterpriseId }: Installation, status: 'revoked' | 'uninstalled'): void {
    this.end(teamId, status);
    for (const each of this.#deps.world.installations)
      if (enterpriseId && each.enterpriseId === enterpriseId) each.status = status;
  }

  /** Removes the app from a team. Sends `tokens_revoked` and `app_uninstalled`, which Slack sends in any order. */
  async uninstall(installation: Installation): Promise<void> {
    const { world, changes, clock, events } = this.#deps;
    const { teamId, botUserId } = installation;
    this.#endAll(installation, 'uninstalled');
    for (const channel of world.channels) {
      if (channel.kind === 'im') continue;
      channel.memberIds = channel.memberIds.filter((id) => id !== botUserId);
    }
    // Delete the Home tabs, because Slack doesn't restore them when the app is installed again.
    for (const [key, home] of Object.entries(world.homes))
      if (home.teamId === teamId) delete world.homes[key];
    changes.emit({ type: 'installation', teamId });
    await Promise.all([
      events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs())),
      events.inTeam(teamId, 'app_uninstalled', appUninstalled(clock.nextTs())),
    ]);
  }
}

type OrganizationsDeps = { world: World; deliveries: Deliveries; installations: Installations };

/**
 * Installs the app in organizations. As in Slack, the app is in none of the organization's workspaces until an admin
 * adds it. Source: https://docs.slack.dev/enterprise/organization-ready-apps
 */
export class Organizations {
  readonly #deps: OrganizationsDeps;

  constructor(deps: OrganizationsDeps) {
    this.#deps = deps;
  }

  install(organization: Organization, installedBy: string, scopes: readonly string[]) {
    const { installations } = this.#deps;
    const { id: enterpriseId } = organization;
    return installations.install(wholeOrganization, installedBy, scopes, enterpriseId);
  }

  /** Adds the app to workspaces of the organization, as an admin does. */
  async give(enterpriseId: string, teamIds: readonly string[]): Promise<void> {
    const whole = this.#whole(enterpriseId);
    for (const teamId of teamIds) this.#deps.installations.share(whole, teamId);
    await this.#tell(enterpriseId, 'team_access_granted', teamIds);
  }

  /** Removes the app from workspaces of the organization, as an admin does. */
  async take(enterpriseId: string, teamIds: readonly string[]): Promise<void> {
    for (const teamId of teamIds) this.#deps.installations.end(teamId, 'uninstalled');
    await this.#tell(enterpriseId, 'team_access_revoked', teamIds);
  }

  #whole(enterpriseId: string): Installation {
    const { installations } = this.#deps.world;
    const whole = installations.findLast(
      (each) => each.enterpriseId === enterpriseId && each.teamId === wholeOrganization,
    );
    if (whole?.status !== 'active') throw new Error(`the app isn't installed in ${enterpriseId}`);
    return whole;
  }

  async #tell(enterpriseId: string, type: string, teamIds: readonly string[]): Promise<void> {
    const { world, deliveries } = this.#deps;
    const ids = { eventId: newId('Ev'), enterpriseId };
    const payload = teamAccessChanged(world.app, ids, { type, teamIds });
    await deliveries.sendEvent({ kind: 'events_api', payload });
  }
}
