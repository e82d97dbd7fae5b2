/** Pattern of emoji names, such as `white_check_mark`. Slack rejects the emoji itself (`✅`). */
const emojiName = /^[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?$/;

/** Returns an emoji's name without colons, or undefined if the text isn't an emoji's name. */
export function readEmojiName(input: string): string | undefined {
  const name = input.replace(/^:|:$/g, '');
  return emojiName.test(name) ? name : undefined;
}
