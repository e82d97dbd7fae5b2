import type { Actor, LocalWorkspace } from 'slack-stand-in';
import { textOf } from './product.ts';

type Place = { workspace: LocalWorkspace };

/** Waits until the top modal shows this text, and returns the modal as text. */
export const modalShowing = ({ workspace }: Place, person: Actor, words: string) =>
  workspace.until(() => {
    const text = textOf(person.modal()?.content);
    return text.includes(words) ? text : undefined;
  });

/** Opens the list of connections with `/agent connect`. */
export async function opensConnections(
  place: Place,
  person: Actor,
  channelId: string,
): Promise<string> {
  await person.types(channelId, '/agent connect');
  return await modalShowing(place, person, 'A connection is a runs service');
}

/** Clicks a button in the open list of connections, by the name of its connection. */
export async function pressesFor(person: Actor, name: string, actionId: string): Promise<void> {
  const view = person.modal();
  const blocks = (view?.content['blocks'] ?? []) as { type: string; block_id?: string }[];
  const at = blocks.findIndex((block) => textOf(block).includes(`*${name}*`));
  const row = blocks[at + 1];
  if (!view || !row?.block_id) throw new Error(`no ${name} in ${textOf(blocks)}`);
  await person.clicks({ view }, { blockId: row.block_id, actionId });
}

const checked = ['all'];

/** Adds a connection from the open list. Returns the form's errors. */
export async function addsConnection(
  place: Place,
  person: Actor,
  { name, url, key, use = checked }: { name: string; url: string; key: string; use?: string[] },
) {
  const view = person.modal();
  if (!view) throw new Error('no list of connections is open');
  await person.clicks({ view }, 'connections:add-new');
  await modalShowing(place, person, 'Runs service URL');
  return person.submits({ name, url, key, use });
}
