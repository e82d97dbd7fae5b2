import type { Button } from '@slack/types';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { Automations } from '../../../store/automations/automations.ts';
import type { Firings } from '../../../store/automations/firings.ts';
import type { Clicked } from '../../runs/acting/click.ts';
import { button } from '../../text/blocks.ts';
import type { AutomationRights } from '../automation-rights.ts';
import { automationFormIds } from './form-ids.ts';
import { gone } from './form-source.ts';

const testedSchema = z.object({
  automationId: z.string(),
  /** Firing whose payload is used. */
  ofFiring: z.string().optional(),
  message: z.object({ channelId: z.string(), ts: z.string() }).optional(),
});

/** Delivery or message with which an automation is started. Empty for a schedule. */
export type Tested = Omit<z.infer<typeof testedSchema>, 'automationId'>;

/** Renders the button *Start now*. */
export const startNowButton = (automationId: string, tested: Tested = {}): Button =>
  button(automationFormIds.startNow, 'Start now', {
    value: JSON.stringify({ automationId, ...tested }),
  });

type Deps = {
  automations: Pick<Automations, 'find'>;
  firings: Pick<Firings, 'add' | 'bodyOf'>;
  automationRights: Pick<AutomationRights, 'denyManage'>;
  /** Wakes the worker that starts runs. */
  wake(): void;
};

/** Creates the function that starts an automation because someone selected *Start now*. Returns the answer, in mrkdwn. */
export const createStartNow =
  ({ automations, firings, automationRights, wake }: Deps) =>
  async ({ viewer, value, action }: Clicked): Promise<string> => {
    const { teamId, userId } = viewer;
    const read = testedSchema.safeParse(parseJson(value)).data;
    const automation = read && (await automations.find(teamId, read.automationId));
    if (!automation) return `⚠️ ${gone}`;
    const denial = await automationRights.denyManage(viewer, automation, 'test');
    if (denial) return `🔒 ${denial}`;
    if (automation.pause) return `⚠️ ${pausedSentence}`;
    const { automationId, ofFiring, message } = read;
    // The value of a click can be forged, so use no delivery of another automation.
    const isOwn = ofFiring === undefined || ofFiring.startsWith(`${automationId} `);
    if (!isOwn || (ofFiring && (await firings.bodyOf(ofFiring)) === undefined))
      return `⚠️ ${deliveryGone}`;
    await firings.add({
      automationId,
      teamId,
      happenedAt: Date.now(),
      // Use the time of the click, so that a repeated delivery of it starts nothing more.
      key: `test ${userId} ${action.action_ts}`,
      fired: {
        kind: 'test',
        by: userId,
        ...(ofFiring && { ofFiring }),
        ...(message && { message }),
      },
    });
    wake();
    return `▶️ Starting. The run message appears in <#${automation.channelId}>. If a limit stops it, the history says so.`;
  };

/** Says in mrkdwn why *Start now* starts nothing. */
export const pausedSentence =
  'This automation is paused, so nothing was started. Resume it first: `/agent automations`.';

const deliveryGone = 'Nothing was started, because this delivery was deleted. Select *Test* again.';

export type StartNow = ReturnType<typeof createStartNow>;
