import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { readSlackFailure } from '../posting/slack-failure.ts';

/** Shows what was loaded. The modal may have been closed meanwhile. */
export async function updateOpenModal(
  client: Pick<WebClient, 'views'>,
  viewId: string | undefined,
  view: ModalView,
): Promise<void> {
  try {
    await client.views.update({ view_id: viewId ?? '', view });
  } catch (error) {
    if (readSlackFailure(error).reason !== 'not_found') throw error;
  }
}
