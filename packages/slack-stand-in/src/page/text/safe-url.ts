/** A link that may be opened: http, https or mailto. Anything else, such as `javascript:`, stays text. */
export function safeHref(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
