import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Answer } from '../posting/answer-privately.ts';
import { showLoaded, updateOpenModal } from '../posting/modals.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import { type UsageQuestion, usagePeriods } from '../runs/usage-question.ts';
import { section } from '../text/blocks.ts';
import { readUsage, type UsageDeps } from './read-usage.ts';
import { questionOf, readUsageChoice, renderUsageModal, type UsageChoice } from './usage-modal.ts';
import { renderUsage } from './usage-view.ts';

type UsageModalDeps = UsageDeps & {
  /** Rights checks that wait for Slack only until the acknowledgement is due. */
  promptRights: Pick<Rights, 'denyOpen'>;
};

/** Creates the answer to `/agent usage`. */
export const createUsageAnswer =
  (deps: UsageDeps) =>
  async (viewer: RunViewer, question: UsageQuestion): Promise<string | Required<Answer>> => {
    const usage = await readUsage(deps, viewer, question);
    return 'denial' in usage ? `🔒 ${usage.denial}` : renderUsage(usage, 'typed');
  };

/** Registers the modal *Usage*. It opens with everyone's runs for admins, and with the person's own for others. */
export function registerUsage(app: Listeners, deps: UsageModalDeps): OpenModal {
  async function read(viewer: RunViewer, choice: UsageChoice) {
    const question = questionOf(choice);
    if (!question) return renderUsageModal(choice, [section(`Choose a ${choice.of} above.`)]);
    const usage = await readUsage(deps, viewer, question);
    const blocks =
      'denial' in usage ? [section(`🔒 ${usage.denial}`)] : renderUsage(usage, 'chosen').blocks;
    return renderUsageModal(choice, blocks);
  }

  onOpeningClick(app, /^usage:/, async ({ client, body, viewer }) => {
    const choice = readUsageChoice(body.view?.state?.values);
    await updateOpenModal(client, body.view?.id, await read(viewer, choice));
  });

  async function isAdmin({ teamId, userId }: RunViewer): Promise<boolean> {
    const found = await deps.people.look([userId]);
    return deps.rights.isAdmin({ teamId, userId }, found.get(userId));
  }

  return forMembers(deps.promptRights, async (client: WebClient, { triggerId, asker }) => {
    const { teamId, userId } = asker;
    const viewer = { teamId, userId };
    const of = (await isAdmin(viewer)) ? 'everyone' : 'me';
    const choice: UsageChoice = { of, days: usagePeriods[0] };
    const waiting = renderUsageModal(choice, [section('⏳ Adding up…')]);
    await showLoaded({ body: { trigger_id: triggerId }, client }, waiting, () =>
      read(viewer, choice),
    );
  });
}
