import { escapeText } from './escape-text.ts';
import { limits } from './slack-limits.ts';

/** A link in mrkdwn; empty for an invalid address or one that is too long for a line. */
export function link(address: string | null | undefined, label: string): string {
  const url = safeUrl(address);
  if (!url || url.length > limits.linkedUrl) return '';
  // A bar would end the address.
  return `<${escapeText(url.replaceAll('|', '%7C'))}|${escapeText(label, 100)}>`;
}

/** A link for a button: http or https, and short enough for Slack when encoded. */
export function safeUrl(text: string | null | undefined): string | undefined {
  if (!text || text.length > limits.url || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= limits.url ? href : undefined;
}
