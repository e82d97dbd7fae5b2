/** Other names that people know for an emoji, with the name in Slack's events. */
const aliases: Readonly<Record<string, string>> = {
  thumbsup: '+1',
  thumbsdown: '-1',
  raised_hand: 'hand',
  poop: 'hankey',
  collision: 'boom',
  pencil: 'memo',
};

/** Returns the one name for an emoji that has several. Use it for names that people type and for those in events. */
export const emojiName = (name: string): string => aliases[name] ?? name;
