/**
 * Decides whose keys and permissions apply to an action, and where a conversation can continue. Nothing is started,
 * sent or answered without an {@link Authority}, and only this file creates one. The functions are pure, and callers
 * read the facts. See docs/decisions/017-keys-are-never-shown-again-or-borrowed.md.
 */
import { z } from 'zod';

export const authoritySchema = z
  .object({
    /** Person or app that acts. */
    actorId: z.string(),
    /** Person whose own keys the actor can use. Null allows only shared keys. */
    keysOf: z.string().nullable(),
  })
  .brand<'Authority'>();
export type Authority = z.infer<typeof authoritySchema>;

/** Returns the authority of a person who starts a run. */
export const ownAuthority = (userId: string): Authority =>
  authoritySchema.parse({ actorId: userId, keysOf: userId });

/**
 * Returns the authority of a workflow step. Allows no personal keys, because Slack doesn't say who published or started
 * its workflow.
 */
export const sharedAuthority = (appId: string): Authority =>
  authoritySchema.parse({ actorId: appId, keysOf: null });

type Facts = {
  actorId: string;
  creatorId: string;
  /** True if the run uses its creator's own keys, which other people can't choose. */
  usesOwnKeys: boolean;
  /** True if the creator lets others use their keys in this run. */
  isAllowed: boolean;
  /** Value of the rule about using other people's keys. */
  rule: boolean | 'unknown' | undefined;
};

/**
 * Reason why someone can't act. `keys`: the keys' owner doesn't share them. `unknown`: Slack doesn't say if a rule
 * applies.
 */
export type Denied = { denied: 'keys' | 'unknown' };

/** Decides if someone can message, answer or restart a run that may use someone's own keys. */
export function authorize(facts: Facts): Authority | Denied {
  const { actorId, creatorId, usesOwnKeys, isAllowed, rule } = facts;
  if (!usesOwnKeys) return sharedAuthority(actorId);
  if (actorId !== creatorId) {
    if (rule === 'unknown') return { denied: 'unknown' };
    if (!(rule ?? isAllowed)) return { denied: 'keys' };
  }
  return authoritySchema.parse({ actorId, keysOf: creatorId });
}

/** A conversation of the runs service, with the Slack conversation and the connection in which it began. */
export const conversationSchema = z.object({
  id: z.string(),
  channelId: z.string(),
  connectionId: z.string(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/**
 * Returns the conversation if it can continue here. Undefined in another Slack conversation, where others could read
 * it, and with another connection.
 */
export const continuedIn = (
  conversation: Conversation | undefined,
  { channelId, connectionId }: Omit<Conversation, 'id'>,
): Conversation | undefined =>
  conversation?.channelId === channelId && conversation.connectionId === connectionId
    ? conversation
    : undefined;
