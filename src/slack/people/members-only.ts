import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { answerView } from '../posting/answer-privately.ts';
import type { SearchAnswer } from '../text/form-inputs.ts';
import type { Denial } from './permissions.ts';
import type { Rights } from './rights.ts';
import type { Asker } from './setting.ts';

export type OpenModal = (
  client: WebClient,
  to: { triggerId: string; asker: Asker },
) => Promise<void>;

/** Wraps a modal so that it opens for full members only. Others see the reason. */
export const forMembers =
  ({ denyOpen }: Pick<Rights, 'denyOpen'>, open: OpenModal): OpenModal =>
  async (client, to) => {
    const denial = await denyOpen(to.asker);
    await (denial ? openDenial(client, to.triggerId, denial) : open(client, to));
  };

export async function openDenial(
  client: WebClient,
  triggerId: string,
  denial: Denial,
): Promise<void> {
  await client.views.open({ trigger_id: triggerId, view: answerView(`🔒 ${denial}`) });
}

/** Runs a picker's search for full members. Others get no options, because Slack can't show a reason there. */
export async function searchForMembers(
  { denyOpen }: Pick<Rights, 'denyOpen'>,
  viewer: RunViewer,
  search: () => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  return (await denyOpen(viewer)) ? { options: [] } : search();
}
