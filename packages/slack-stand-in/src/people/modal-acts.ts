import type { JsonObject } from '../lib/json.ts';
import type { Views } from '../world/views.ts';
import type { Person, View } from '../world/world.ts';
import type { Interactions } from './interactions.ts';
import { applyResponse, clientErrors, type FieldErrors, pickedForResponse } from './submission.ts';

type Parts = {
  views: Views;
  interactions: Interactions;
  /** Returns the problems of a view that came with an acknowledgement. */
  checkView(view: JsonObject): string[];
};

export type Submitted = { errors?: FieldErrors; error?: string };

/** Sends a form that passes the checks of Slack's client, and carries out the app's answer. */
export async function submitModal(
  { views, interactions, checkView }: Parts,
  person: Person,
  view: View,
): Promise<Submitted> {
  const errors = clientErrors(view);
  if (Object.keys(errors).length > 0) return { errors };
  const answer = await interactions.submit(person, view, pickedForResponse(view));
  if (!answer.acked) return { error: answer.error };
  const { problem, ...result } = applyResponse(views, view, answer.body, checkView);
  return problem === undefined ? result : { error: problem };
}

/** Closes the top modal or the whole stack, and notifies the app if it set `notify_on_close`. */
export async function closeModal(
  { views, interactions }: Parts,
  person: Person,
  view: View,
  { all }: { all: boolean },
): Promise<void> {
  const isAll = all || view.content['clear_on_close'] === true;
  const closed = views.close(person.id, { all: isAll });
  const notified = closed.filter(({ content }) => content['notify_on_close'] === true);
  await Promise.all(notified.map((each) => interactions.closed(each, isAll)));
}
