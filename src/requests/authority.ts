/**
 * Whose keys and permissions apply to what someone does, and where a conversation can continue. Nothing is started, sent
 * or answered without an {@link Authority}, and only this file makes one. Pure: callers read the facts. See
 * docs/decisions/017-keys-are-never-shown-again-or-borrowed.md.
 */
import { z } from 'zod';

export const authoritySchema = z
  .object({
    /** The person or app that does it. */
    actorId: z.string(),
    /** The person whose own keys it can use. Null: only keys that everyone shares. */
    keysOf: z.string().nullable(),
  })
  .brand<'Authority'>();
export type Authority = z.infer<typeof authoritySchema>;

/** Authority of a person who starts a run. */
export const ownAuthority = (userId: string): Authority =>
  authoritySchema.parse({ actorId: userId, keysOf: userId });

/** Authority of a workflow step: nobody's, because Slack doesn't say who published or started its workflow. */
export const sharedAuthority = (appId: string): Authority =>
  authoritySchema.parse({ actorId: appId, keysOf: null });

type Facts = {
  actorId: string;
  creatorId: string;
  /** The run uses keys of its creator that the actor can't choose themselves. */
  usesOwnKeys: boolean;
  /** Its creator lets others use them in this run. */
  isAllowed: boolean;
  /** A rule's say on other people's keys. */
  rule: boolean | 'unknown' | undefined;
};

/** `keys`: they're someone else's, who didn't allow it. `unknown`: Slack doesn't say if a rule is for the actor. */
export type Denied = { denied: 'keys' | 'unknown' };

/** Decides if someone can message, answer or restart a run, as far as its keys are concerned. */
export function authorize(facts: Facts): Authority | Denied {
  const { actorId, creatorId, usesOwnKeys, isAllowed, rule } = facts;
  if (!usesOwnKeys) return sharedAuthority(actorId);
  if (actorId !== creatorId) {
    if (rule === 'unknown') return { denied: 'unknown' };
    if (!(rule ?? isAllowed)) return { denied: 'keys' };
  }
  return authoritySchema.parse({ actorId, keysOf: creatorId });
}

/** A conversation of the runs service, and where it belongs: the Slack conversation and the key that it began with. */
export const conversationSchema = z.object({
  id: z.string(),
  channelId: z.string(),
  connectionId: z.string(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/** Undefined elsewhere, where other people could read what it remembers, or where another key would open it. */
export const continuedIn = (
  conversation: Conversation | undefined,
  { channelId, connectionId }: Omit<Conversation, 'id'>,
): Conversation | undefined =>
  conversation?.channelId === channelId && conversation.connectionId === connectionId
    ? conversation
    : undefined;
