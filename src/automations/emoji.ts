/** Other names that people know for an emoji, and the name that Slack's events have. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['thumbsup', '+1'],
  ['thumbsdown', '-1'],
  ['raised_hand', 'hand'],
  ['poop', 'hankey'],
  ['collision', 'boom'],
  ['pencil', 'memo'],
]);

/** Returns the one name of an emoji that has several. */
export const emojiName = (name: string): string => aliases.get(name) ?? name;
