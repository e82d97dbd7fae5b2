/** Returns a safe link: http, https or mailto. Others, such as `javascript:`, aren't linked. */
export function safeHref(url: string): string | undefined {
  try {
    const { protocol, href } = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
