import type { AppEvents } from '../deliveries/app-events.ts';
import type { Clock } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import { composerLinkEvent, linksOf } from '../payloads/message-event.ts';
import type { World } from '../world/world.ts';
import { encodeTyped } from './typed-text.ts';

export type ComposerDraft = {
  links: { url: string; domain: string }[];
  /** Link previews that the app has sent so far. */
  attachments?: JsonObject[];
};

export type ComposerPreviews = ReturnType<typeof createComposerPreviews>;

/** Creates the store for people's unsent drafts that contain links to the app's domains. */
export function createComposerPreviews({
  world,
  clock,
  events,
  unfurlDomains,
}: {
  world: World;
  clock: Clock;
  events: AppEvents;
  unfurlDomains: readonly string[];
}) {
  const drafts = new Map<string, ComposerDraft>();

  return {
    find: (previewId: string | undefined): ComposerDraft | undefined => drafts.get(previewId ?? ''),

    /** Sends the draft's links to the app. The app can add previews to the returned draft later. */
    async paste(userId: string, teamId: string, text: string): Promise<ComposerDraft> {
      const links = linksOf({ text: encodeTyped(world, teamId, text) }, unfurlDomains);
      const previewId = `${userId}-${crypto.randomUUID()}`;
      const draft: ComposerDraft = { links };
      if (links.length === 0) return draft;
      drafts.set(previewId, draft);
      const event = composerLinkEvent(userId, previewId, { links, ts: clock.nextTs() });
      await events.inTeam(teamId, 'link_shared', event);
      return draft;
    },
  };
}
