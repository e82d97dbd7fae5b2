/** Decides who can create, change and stop automations. */
import { type Automation, defaultLimits, type TriggerKind } from '../../automations/automation.ts';
import { rulingOn } from '../../policy/ruling.ts';
import { denyTrigger } from '../../policy/ruling-sentences.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { AutomationAct } from '../people/permissions.ts';
import type { Rights } from '../people/rights.ts';
import type { SeesConversation } from '../people/sees-conversation.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';

type Decision = Promise<string | undefined>;
type Asker = Pick<RunViewer, 'teamId' | 'userId'>;

export type AutomationRights = ReturnType<typeof createAutomationRights>;

export function createAutomationRights(deps: {
  rights: Pick<Rights, 'denyStart' | 'policyFor' | 'denyAutomation'>;
  seesConversation: SeesConversation;
}) {
  const { rights, seesConversation } = deps;

  /** Denies people who can't read the channel, because they would read its messages in their runs. */
  async function denyUnseen({ teamId, userId }: Asker, channelId: string): Decision {
    try {
      const isSeen = await seesConversation(userId, { teamId, conversationId: channelId });
      return isSeen ? undefined : unseen;
    } catch (error) {
      readSlackFailure(error);
      return notSaid;
    }
  }

  /**
   * Returns the max starts per hour by the rules, for an automation of this person in this channel. A rule that Slack
   * can't check applies.
   */
  async function maxStartsPerHour({ teamId, userId }: Asker, channelId: string) {
    const policy = await rights.policyFor({ teamId, userId, channelId });
    return rulingOn(policy, 'automation_starts_per_hour').rule?.automation_starts_per_hour;
  }

  return {
    maxStartsPerHour,

    /** Returns the limit of a new automation whose owner types none: the usual one, or less if the rules allow less. */
    async defaultStartsPerHour(asker: Asker, channelId: string): Promise<number> {
      const most = await maxStartsPerHour(asker, channelId);
      return Math.min(defaultLimits.startsPerHour, most ?? defaultLimits.startsPerHour);
    },

    /** Decides if someone can own an automation with this trigger in this channel. Denials are mrkdwn. */
    async denyCreate(asker: Asker, channelId: string, trigger: TriggerKind): Decision {
      const { teamId, userId } = asker;
      const place = { teamId, userId, channelId };
      const [start, policy, unread] = await Promise.all([
        rights.denyStart(place),
        rights.policyFor(place),
        denyUnseen(asker, channelId),
      ]);
      return start ?? denyTrigger(policy, trigger, 'nothing was changed') ?? unread;
    },

    /** Decides if someone can do this with an automation. Admins can't see those of private channels they aren't in. */
    async denyManage(asker: Asker, automation: Managed, act: AutomationAct): Decision {
      const denial = await rights.denyAutomation(asker, automation, act);
      if (denial || asker.userId === automation.ownerId) return denial;
      return denyUnseen(asker, automation.channelId);
    },
  };
}

type Managed = Pick<Automation, 'ownerId' | 'channelId' | 'pause'>;

const unseen =
  "You can't read this channel, or the app isn't in it. Choose another one, or type `/invite @agent` there.";
const notSaid = "Slack didn't say who is in this channel, so nothing was changed. Try again.";
