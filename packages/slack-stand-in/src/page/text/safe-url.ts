/** Returns the link if it's http, https or mailto. Returns undefined for others, such as `javascript:`. */
export function safeHref(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
