import type { AppEvents } from '../app-events.ts';
import type { Clock } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { composerLinkEvent, linksOf } from '../payloads/message-event.ts';
import type { World } from '../world.ts';
import { encodeTyped } from './typed-text.ts';

export type ComposerDraft = {
  links: { url: string; domain: string }[];
  /** What the app has given for them so far. */
  attachments?: JsonObject[];
};

type Parts = {
  world: World;
  clock: Clock;
  events: AppEvents;
  unfurlDomains: readonly string[];
};

export type ComposerPreviews = ReturnType<typeof createComposerPreviews>;

/** What people have in their composers and not sent yet, as far as it has links to the app's domains. */
export function createComposerPreviews({ world, clock, events, unfurlDomains }: Parts) {
  const drafts = new Map<string, ComposerDraft>();

  return {
    find: (previewId: string | undefined): ComposerDraft | undefined => drafts.get(previewId ?? ''),

    /** Tells the app of the links; what it shows for them comes into the draft later. */
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
