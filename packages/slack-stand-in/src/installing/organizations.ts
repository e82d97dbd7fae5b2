import type { Deliveries } from '../deliveries/deliveries.ts';
import { newId } from '../lib/ids.ts';
import { teamAccessChanged } from '../payloads/lifecycle.ts';
import type { Installation, Organization, World } from '../world/world.ts';
import type { Installations } from './installations.ts';
import { wholeOrganization } from './installing.ts';

type Parts = { world: World; deliveries: Deliveries; installations: Installations };

/**
 * Installs the app into organizations. As in Slack, it then is in none of their workspaces until an admin gives it some.
 * Source: https://docs.slack.dev/enterprise/organization-ready-apps
 */
export class Organizations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  install(organization: Organization, installedBy: string, scopes: readonly string[]) {
    const { installations } = this.#parts;
    const { id: enterpriseId } = organization;
    return installations.install(wholeOrganization, installedBy, scopes, enterpriseId);
  }

  /** An admin adds the app to workspaces of the organization. */
  async give(enterpriseId: string, teamIds: readonly string[]): Promise<void> {
    const whole = this.#whole(enterpriseId);
    for (const teamId of teamIds) this.#parts.installations.share(whole, teamId);
    await this.#tell(enterpriseId, 'team_access_granted', teamIds);
  }

  /** An admin removes the app from workspaces of the organization. */
  async take(enterpriseId: string, teamIds: readonly string[]): Promise<void> {
    for (const teamId of teamIds) this.#parts.installations.end(teamId, 'uninstalled');
    await this.#tell(enterpriseId, 'team_access_revoked', teamIds);
  }

  #whole(enterpriseId: string): Installation {
    const { installations } = this.#parts.world;
    const whole = installations.findLast(
      (each) => each.enterpriseId === enterpriseId && each.teamId === wholeOrganization,
    );
    if (whole?.status !== 'active') throw new Error(`the app isn't installed in ${enterpriseId}`);
    return whole;
  }

  async #tell(enterpriseId: string, type: string, teamIds: readonly string[]): Promise<void> {
    const { world, deliveries } = this.#parts;
    const ids = { eventId: newId('Ev'), enterpriseId };
    const payload = teamAccessChanged(world.app, ids, { type, teamIds });
    await deliveries.sendEvent({ kind: 'events_api', payload });
  }
}
