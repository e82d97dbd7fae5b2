import type { JsonObject } from '../lib/json.ts';
import { hasValue, toValue, valuesOf } from '../view-values.ts';
import type { Element } from '../world/view-elements.ts';
import type { Message, View } from '../world/world.ts';

type Values = View['values'];

/** What each person picked in the selects of messages. It isn't saved. */
export function createMessageInputs() {
  const picked = new Map<string, Values>();
  const keyOf = (userId: string, { channelId, ts }: Message) => `${userId} ${channelId} ${ts}`;
  return {
    /** Stores a pick, if the element has a value, and returns `state.values`. */
    note(
      userId: string,
      message: Message,
      { found, value, blocks }: { found: Element; value: unknown; blocks: JsonObject[] },
    ): Values {
      const key = keyOf(userId, message);
      const values = valuesOf(blocks, picked.get(key));
      const { blockId, actionId, element } = found;
      if (hasValue(element) && value !== undefined) {
        values[blockId] = { ...values[blockId], [actionId]: toValue(element, value) };
      }
      picked.set(key, values);
      return values;
    },
  };
}
export type MessageInputs = ReturnType<typeof createMessageInputs>;
