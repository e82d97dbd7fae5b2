import { randomBytes } from 'node:crypto';
import type { WebhookSender } from '../automation.ts';

type SenderText = {
  name: string;
  /** True if the sender makes the secret. Otherwise the app makes it, and people paste it into the sender. */
  makesSecret: boolean;
  /** Sentence in mrkdwn that says where the URL and the secret belong, or where the secret comes from. */
  setup: string;
};

export const senderTexts: Record<WebhookSender, SenderText> = {
  bearer: {
    name: 'Bearer token',
    makesSecret: false,
    setup:
      'Send JSON with the header `Authorization: Bearer &lt;secret&gt;`. Add `Idempotency-Key` to make retries safe.',
  },
  standard: {
    name: 'Standard Webhooks',
    makesSecret: true,
    setup:
      'Paste the URL into a service that signs with Standard Webhooks. It shows a secret that starts with `whsec_`.',
  },
  github: {
    name: 'GitHub',
    makesSecret: false,
    setup:
      'In GitHub, open *Settings → Webhooks → Add webhook*. Paste the URL and the secret, and select the content type *application/json*.',
  },
  gitlab: {
    name: 'GitLab',
    makesSecret: false,
    setup:
      'In GitLab, open *Settings → Webhooks → Add new webhook*. Paste the URL, and the secret as *Secret token* or *Signing token*.',
  },
  sentry: {
    name: 'Sentry',
    makesSecret: true,
    setup:
      'In Sentry, create an internal integration with this webhook URL. Its *Client Secret* is the secret.',
  },
  pagerduty: {
    name: 'PagerDuty',
    makesSecret: true,
    setup:
      'In PagerDuty, open *Integrations → Generic Webhooks (v3)* and add a webhook with this URL. PagerDuty then shows the secret.',
  },
};

/** Returns what sentences call a sender. */
export const senderInText = (sender: WebhookSender): string =>
  sender === 'bearer' || sender === 'standard' ? 'the sender' : senderTexts[sender].name;

const secretPrefix = 'whsec_';
/** Min length of a key in bytes. A shorter one could be guessed. */
export const shortestKey = 16;
const shortestSecret = 16;

/** Creates a secret in the form that Standard Webhooks defines. All other senders use it as a text. */
export const createWebhookSecret = (): string => secretPrefix + randomBytes(32).toString('base64');

/** Returns a sentence if a pasted secret can't be used. */
export function secretProblem(sender: WebhookSender, secret: string): string | undefined {
  if (sender === 'standard' && keyOfSecret(secret).length < shortestKey)
    return 'Paste the whole secret. It starts with whsec_ and is longer.';
  return secret.length < shortestSecret ? 'Paste the whole secret. It is longer.' : undefined;
}

/** Returns the key that is encoded in a secret of Standard Webhooks. */
export const keyOfSecret = (secret: string): Buffer =>
  Buffer.from(secret.replace(new RegExp(`^${secretPrefix}`), ''), 'base64');
