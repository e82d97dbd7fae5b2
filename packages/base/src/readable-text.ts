/**
 * Characters that are invisible or change how text reads: C0 and C1 controls except tab and line feed, and
 * bidirectional embeddings, overrides and isolates. https://trojansource.codes
 */
const hiddenCharacters = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a text safe to show: removes invisible characters, and ends every line with a line feed. */
export const readableText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(hiddenCharacters, '');

/** Makes a text safe to show on one line. */
export const readableLine = (text: string): string =>
  readableText(text).replace(/\s+/g, ' ').trim();
