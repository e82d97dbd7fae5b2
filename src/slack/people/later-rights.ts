/** Reads facts about people for acts that happen while they're away, such as starts of automations. */
import type { Automation } from '../../automations/automation.ts';
import type { PolicyCase } from '../../policy/ruling.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Actors } from './actors.ts';
import { type Actor, type AutomationAct, type Denial, denyAutomation } from './permissions.ts';
import type { PolicyPlace } from './policies.ts';

/** Max age of a role, in ms. Many automations can be due at once, and Slack limits how often people are read. */
const maxAgeMs = 60_000;

export const createLaterRights = (deps: {
  actors: Pick<Actors, 'readNow'>;
  policyFor(place: PolicyPlace): Promise<PolicyCase>;
  waitMs: number | undefined;
}) => ({
  /** Decides if someone can change an automation that they see. */
  async denyAutomation(
    asker: RunViewer,
    { ownerId, pause }: Pick<Automation, 'ownerId' | 'pause'>,
    act: AutomationAct,
  ): Promise<Denial | undefined> {
    const isOwner = asker.userId === ownerId;
    const actor = await deps.actors.readNow(asker, deps.waitMs);
    return denyAutomation(actor, { ownerId, pause, isOwner, act });
  },

  /** Returns the role of a person, and the rules for them in a channel. */
  async standingOf(
    place: PolicyPlace & { userId: string },
  ): Promise<{ actor: Actor; policy: PolicyCase }> {
    const [actor, policy] = await Promise.all([
      deps.actors.readNow(place, deps.waitMs, maxAgeMs),
      deps.policyFor(place),
    ]);
    return { actor, policy };
  },
});
