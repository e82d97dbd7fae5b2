import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { parseJson } from 'base/parse-json';
import type { z } from 'zod';
import { readSlackFailure } from './slack-failure.ts';

type Clicked = {
  body: { trigger_id?: string; view?: { type: string } };
  client: Pick<WebClient, 'views'>;
};

/** Opens a modal. If a button in a modal was clicked, the new one opens on top of it. */
export function showModal({ body, client }: Clicked, view: ModalView) {
  const shown = { trigger_id: body.trigger_id ?? '', view };
  return body.view?.type === 'modal' ? client.views.push(shown) : client.views.open(shown);
}

/** Opens a modal that loads slow content. Shows `waiting` at once, because Slack's trigger expires. */
export async function showLoaded(
  click: Clicked,
  waiting: ModalView,
  load: () => Promise<ModalView>,
): Promise<void> {
  const opened = await showModal(click, waiting);
  await updateOpenModal(click.client, opened.view?.id, await load());
}

/** Updates a modal, unless it was closed meanwhile. */
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

/** Error for a view whose metadata is unreadable, because another version of the app opened it. */
export class OutdatedViewError extends Error {
  override name = 'OutdatedViewError';
  /** Code of the error, because Bolt wraps errors without one. */
  readonly code = 'outdated_view';
}

/**
 * Reads the `private_metadata` of one of the app's views.
 * @throws OutdatedViewError
 */
export function readViewMetadata<T>(
  schema: z.ZodType<T>,
  { private_metadata: text }: { private_metadata: string },
): T {
  const { data, success } = schema.safeParse(parseJson(text));
  if (!success) throw new OutdatedViewError("The private_metadata of a view can't be read");
  return data;
}
