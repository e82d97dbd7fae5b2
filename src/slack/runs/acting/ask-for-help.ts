/** The words of the first suggested prompt, and what people type instead. */
const asked = new Set(['help', 'agent help', 'help me', 'what can you do', 'what can i do']);

/** Longest message that can be a request for help, in characters. */
const longest = 100;

/**
 * Whether a whole message asks for help, which never starts a run. Case, and what isn't a letter at its beginning or end,
 * don't matter: `/agent help`, "What can you do?".
 */
export const asksForHelp = (text: string): boolean =>
  text.length <= longest &&
  asked.has(
    text
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
      .replace(/\s+/g, ' '),
  );
