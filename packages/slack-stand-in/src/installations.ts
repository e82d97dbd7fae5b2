import type { AppEvents } from './app-events.ts';
import type { Changes } from './changes.ts';
import { findInstallation } from './directory.ts';
import type { Clock } from './ids.ts';
import { installApp, rotatingToken } from './installing.ts';
import type { AppManifest } from './manifest.ts';
import { appUninstalled, tokensRevoked } from './payloads/lifecycle.ts';
import type { Installation, World } from './world.ts';

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

  install(teamId: string, installedBy: string, scopes: readonly string[]): Installation {
    const { world, manifest, changes } = this.#parts;
    // Scopes add up while the app is installed.
    const granted = findInstallation(world, teamId)?.scopes ?? [];
    const installation = installApp(world, { manifest, teamId, installedBy });
    installation.scopes = [...new Set([...granted, ...scopes])];
    changes.emit({ type: 'installation', teamId });
    return installation;
  }

  /**
   * A new token for a refresh token, which then is used up. The token before works until it expires.
   * @returns undefined if nobody has this refresh token
   */
  refresh(refreshToken: string): Installation | undefined {
    const { world, changes } = this.#parts;
    const before = world.installations.find(
      (each) => each.refreshToken === refreshToken && each.status === 'active',
    );
    if (!before) return undefined;
    const installation = { ...before, ...rotatingToken() };
    delete before.refreshToken;
    // Last, because the newest one counts.
    world.installations.push(installation);
    changes.emit({ type: 'installation', teamId: before.teamId });
    return installation;
  }

  /** The token stops working. The app stays in its channels. */
  async revoke(installation: Installation): Promise<void> {
    const { changes, clock, events } = this.#parts;
    const { teamId, botUserId } = installation;
    this.#end(teamId, 'revoked');
    changes.emit({ type: 'installation', teamId });
    await events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs()));
  }

  /** Also the tokens that were refreshed and haven't expired yet. */
  #end(teamId: string, status: 'revoked' | 'uninstalled'): void {
    for (const each of this.#parts.world.installations)
      if (each.teamId === teamId && each.status === 'active') each.status = status;
  }

  /** Slack sends both events, in any order. */
  async uninstall(installation: Installation): Promise<void> {
    const { world, changes, clock, events } = this.#parts;
    const { teamId, botUserId } = installation;
    this.#end(teamId, 'uninstalled');
    for (const channel of world.channels) {
      if (channel.kind === 'im') continue;
      channel.memberIds = channel.memberIds.filter((id) => id !== botUserId);
    }
    // Slack shows no Home tab of an app that isn't installed, and doesn't bring the old one back later.
    for (const { id } of world.people.filter((person) => person.teamId === teamId))
      delete world.homes[id];
    changes.emit({ type: 'installation', teamId });
    await Promise.all([
      events.inTeam(teamId, 'tokens_revoked', tokensRevoked(botUserId, clock.nextTs())),
      events.inTeam(teamId, 'app_uninstalled', appUninstalled(clock.nextTs())),
    ]);
  }
}
