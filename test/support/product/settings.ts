import type { Actor, LocalWorkspace } from 'slack-stand-in';
import { expect } from 'vitest';
import { opensModal } from './product.ts';

type InWorkspace = { workspace: LocalWorkspace };
export type FormName = `${'person' | 'channel' | 'workspace'}:${'notifications' | 'defaults'}`;

/** Opens a settings form from the start page. */
export async function opensSettings(
  product: InWorkspace,
  person: Actor,
  form: FormName,
  channelId?: string,
) {
  const start = await opensModal(product, person, '/agent settings', channelId);
  await person.clicks({ view: start }, `settings:open:${form}`);
  return product.workspace.until(() => {
    const view = person.modal();
    return view?.id === start.id ? undefined : view;
  });
}

/** Saves a settings form and closes the start page. */
export async function savesSettings(
  product: InWorkspace,
  person: Actor,
  form: FormName,
  values: Record<string, unknown>,
): Promise<void> {
  await opensSettings(product, person, form);
  expect(await person.submits(values)).toEqual({});
  await person.closesModal();
}
