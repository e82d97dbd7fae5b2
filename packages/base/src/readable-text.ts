/**
 * Characters that are invisible or change how text reads: C0 and C1 controls except tab and line feed, and
 * bidirectional embeddings, overrides and isolates. https://trojansource.codes
 */
const hiddenCharacters = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns a text of a person, an agent or a service in a form that is safe to show. Every line end becomes a line feed.
 */
export const readableText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(hiddenCharacters, '');

/** Returns such a text on one line. */
export const readableLine = (text: string): string =>
  readableText(text).replace(/\s+/g, ' ').trim();
