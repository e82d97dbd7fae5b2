import { z } from 'zod';
import type { Tokens } from '../connection/installations/installations.ts';

/** Hosts of Slack files. The second one is for GovSlack. */
const slackHosts = ['slack.com', 'slack-gov.com'];

/** Result of a download. `denied` is final, and `later` can be retried. */
type Downloaded =
  | { outcome: 'read'; bytes: Buffer }
  | { outcome: 'denied' | 'later' | 'too_large' };

export type DownloadDeps = {
  tokens: Pick<Tokens, 'read'>;
  /** Address of the Web API. The local Slack stand-in serves files at the same origin. */
  apiUrl: string;
};

const timeoutMs = 30_000;

/**
 * Downloads a file from Slack. The token is sent only to Slack. Redirects aren't followed, because Slack redirects to a
 * login page if the app has no access.
 */
export async function downloadFile(
  { tokens, apiUrl }: DownloadDeps,
  url: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Downloaded> {
  if (!isOfSlack(url, apiUrl)) return { outcome: 'denied' };
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${await tokens.read()}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    if (answer.status === 429 || answer.status >= 500) return await dropped(answer, 'later');
    if (answer.status !== 200 || !answer.body) return await dropped(answer, 'denied');
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      if (size > maxBytes) return { outcome: 'too_large' };
      chunks.push(chunk);
    }
    return { outcome: 'read', bytes: Buffer.concat(chunks) };
  } catch {
    return { outcome: 'later' };
  }
}

async function dropped(
  answer: Response,
  outcome: 'later' | 'denied',
): Promise<{ outcome: 'later' | 'denied' }> {
  await answer.body?.cancel();
  return { outcome };
}

export function isOfSlack(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, origin } = new URL(url);
  if (origin === new URL(apiUrl).origin) return true;
  const isHost = slackHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return protocol === 'https:' && isHost;
}

/** Fields of a `files.info` response that a download needs. */
export const fileInfoSchema = z.object({
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});
