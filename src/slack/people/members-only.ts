import type { WebClient } from '@slack/web-api';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { answerView } from '../posting/answer-privately.ts';
import type { SearchAnswer } from '../text/form-inputs.ts';
import type { Refusal } from './permissions.ts';
import type { Rights } from './rights.ts';
import type { Asker } from './setting.ts';

export type OpenModal = (
  client: WebClient,
  to: { triggerId: string; asker: Asker },
) => Promise<void>;

/** Wraps a modal so that it opens for full members only. Others see the reason. */
export const forMembers =
  ({ refuseOpen }: Pick<Rights, 'refuseOpen'>, open: OpenModal): OpenModal =>
  async (client, to) => {
    const refusal = await refuseOpen(to.asker);
    await (refusal ? openRefusal(client, to.triggerId, refusal) : open(client, to));
  };

export async function openRefusal(
  client: WebClient,
  triggerId: string,
  refusal: Refusal,
): Promise<void> {
  await client.views.open({ trigger_id: triggerId, view: answerView(`🔒 ${refusal}`) });
}

/** Runs a search for full members. Others get no options, because Slack can't show a reason in a picker. */
export async function searchForMembers(
  { refuseOpen }: Pick<Rights, 'refuseOpen'>,
  viewer: RunViewer,
  search: () => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  return (await refuseOpen(viewer)) ? { options: [] } : search();
}
