import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { updateOpenModal } from './update-open-modal.ts';

type Clicked = {
  body: { trigger_id?: string; view?: { type: string } };
  client: Pick<WebClient, 'views'>;
};

/** Opens a modal, on top of the one that was clicked in. */
export function showModal({ body, client }: Clicked, view: ModalView) {
  const shown = { trigger_id: body.trigger_id ?? '', view };
  return body.view?.type === 'modal' ? client.views.push(shown) : client.views.open(shown);
}

/** The same for what takes a while: something is there at once, because a trigger expires. */
export async function showLoaded(
  click: Clicked,
  waiting: ModalView,
  load: () => Promise<ModalView>,
): Promise<void> {
  const opened = await showModal(click, waiting);
  await updateOpenModal(click.client, opened.view?.id, await load());
}
