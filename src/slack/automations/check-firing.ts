/** Decides if the owner of an automation, and the person or bot that fired it, can start runs now. */
import type { Automation } from '../../automations/automation.ts';
import type { Firing } from '../../automations/firing.ts';
import type { FiringOutcome } from '../../automations/port.ts';
import { isUncertain } from '../../policy/rule-caps.ts';
import { rulingOn } from '../../policy/ruling.ts';
import { denyByRule, denyTrigger } from '../../policy/ruling-sentences.ts';
import type { Settings } from '../../store/people/settings.ts';
import { denyStart, type Role } from '../people/permissions.ts';
import type { Rights } from '../people/rights.ts';
import type { SeesConversation } from '../people/sees-conversation.ts';
import { readAllowedBots } from './allowed-bots.ts';
import { isBotId } from './read-trigger-event.ts';

type Checked = Promise<
  Exclude<FiringOutcome, { outcome: 'started' | 'later' }> | 'later' | undefined
>;

export type FiringChecks = ReturnType<typeof createFiringChecks>;

const effect = 'nothing was started';

/** Creates the checks. They return undefined if nothing speaks against the start, and `later` while Slack is silent. */
export function createFiringChecks(deps: {
  rights: Pick<Rights, 'standingOf'>;
  seesConversation: SeesConversation;
  settings: Pick<Settings, 'read'>;
}) {
  const { rights, seesConversation, settings } = deps;
  return {
    /** Checks the owner, as whom the run starts. */
    async checkOwner({ teamId, ownerId: userId, channelId, definition }: Automation): Checked {
      const { actor, policy } = await rights.standingOf({ teamId, userId, channelId });
      if (actor.isHidden) return { outcome: 'failed', sentence: hiddenPeople };
      if (actor.role === 'unknown' || isUncertain(policy)) return 'later';
      if (actor.role !== 'member')
        return { outcome: 'not allowed', sentence: notMember(actor.role) };
      const denial =
        denyByRule(rulingOn(policy, 'start'), 'starting runs', effect) ??
        denyTrigger(policy, definition.trigger.kind, effect);
      if (denial) return { outcome: 'not allowed', sentence: denial };
      const isInside = await seesConversation(userId, { teamId, conversationId: channelId });
      return isInside ? undefined : { outcome: 'not allowed', sentence: outside };
    },

    /** Checks the author of the message or reaction, if one fired the automation. */
    async checkAuthor({ teamId, channelId }: Automation, { content: { fired } }: Firing): Checked {
      if (fired.kind !== 'message' && fired.kind !== 'reaction') return undefined;
      const { by } = fired;
      if (isBotId(by)) {
        const allowed = await readAllowedBots(settings, teamId);
        return allowed.some(({ botId }) => botId === by)
          ? undefined
          : { outcome: 'skipped', sentence: botNotAllowed };
      }
      const { actor, policy } = await rights.standingOf({ teamId, userId: by, channelId });
      const ruling = rulingOn(policy, 'start');
      const isSilent = actor.role === 'unknown' && !actor.isHidden;
      if (isSilent || (ruling.isUnknown && !ruling.isHidden)) return 'later';
      const denial = denyStart(actor, ruling);
      return denial ? { outcome: 'skipped', sentence: `By <@${by}>. ${denial}` } : undefined;
    },
  };
}

const roleWords: Record<Exclude<Role, 'member' | 'unknown'>, string> = {
  guest: 'is a guest now',
  external: "isn't in this workspace",
  bot: 'is a bot',
  deactivated: 'is deactivated',
};

const notMember = (role: keyof typeof roleWords) =>
  `Its owner ${roleWords[role]}, and only active full members own automations. A workspace admin can take it over.`;
const outside =
  "Its owner can't read this channel, or the app isn't in it anymore. A workspace admin can take it over.";
const hiddenPeople =
  "Slack doesn't let the app see who its owner is. Ask a workspace admin to reinstall the app with the scope `users:read`.";
const botNotAllowed =
  "Its message is from a bot that isn't allowed. Ask a workspace admin to add it under *Allowed bots*.";
