/**
 * Returns the URL if its scheme is http, https or mailto. Returns undefined for other schemes, such as `javascript:`.
 */
export function safeHref(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
