import { z } from 'zod';
import type { Tokens } from '../connection/installations/installations.ts';

/** Slack's hosts for files. The second one is GovSlack. */
const slackHosts = ['slack.com', 'slack-gov.com'];

/** `refused` is final, `later` can be retried. */
type Downloaded =
  | { outcome: 'read'; bytes: Buffer }
  | { outcome: 'refused' | 'later' | 'too_large' };

export type DownloadDeps = {
  tokens: Pick<Tokens, 'read'>;
  /** Address of the Web API. A local Slack serves files at the same origin. */
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
  if (!isOfSlack(url, apiUrl)) return { outcome: 'refused' };
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${await tokens.read()}` },
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    if (answer.status === 429 || answer.status >= 500) return await dropped(answer, 'later');
    if (answer.status !== 200 || !answer.body) return await dropped(answer, 'refused');
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
  outcome: 'later' | 'refused',
): Promise<{ outcome: 'later' | 'refused' }> {
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

/** Answer of `files.info`, with the fields that a download needs. */
export const fileInfoSchema = z.object({
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});
