import type { Listeners } from '../../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../../people/members-only.ts';
import type { Rights } from '../../people/rights.ts';
import { answerPrivately } from '../../posting/answer-privately.ts';
import { onOpeningClick } from '../../runs/acting/click.ts';
import { modal, section } from '../../text/blocks.ts';
import { automationActions } from './automation-actions.ts';

type PageDeps = {
  /** Rights that wait for Slack only as long as an acknowledgement allows. */
  promptRights: Pick<Rights, 'denyOpen'>;
};

/** Registers `/agent automations`, which lists automations by channel. */
export function registerAutomationsPage(app: Listeners, { promptRights }: PageDeps): OpenModal {
  onOpeningClick(app, automationActions.open, (click) =>
    answerPrivately(click, { text: unknownAutomation }),
  );

  return forMembers(promptRights, async (client, { triggerId }) => {
    const view = modal({ title: 'Automations', blocks: [section('No automations yet.')] });
    await client.views.open({ trigger_id: triggerId, view });
  });
}

const unknownAutomation =
  "The app doesn't have this automation anymore, or it belongs to a conversation that you aren't in.";
