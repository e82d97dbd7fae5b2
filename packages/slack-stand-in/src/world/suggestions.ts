import type { AppManifest } from '../manifest.ts';
import type { World } from './world.ts';

export type ShownSuggestions = { title: string; prompts: { title: string; message: string }[] };

/** What the app suggests below the newest message of a conversation; else what its manifest does. */
export function suggestionsIn(
  world: World,
  { features }: AppManifest,
  channelId: string,
): ShownSuggestions {
  const newest = world.messages[channelId]?.at(-1)?.ts ?? '';
  const set = world.suggestions[channelId];
  if (set?.below === newest) return { title: set.title, prompts: set.prompts };
  const first = newest === '' ? (features.agent_view?.suggested_prompts ?? []) : [];
  return { title: '', prompts: first };
}
