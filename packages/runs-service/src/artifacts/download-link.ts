import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StoredArtifact } from '../store/artifacts.ts';

const validMs = 15 * 60_000;

type Linked = Pick<StoredArtifact, 'uid' | 'data'>;

/**
 * Signs a link with the file's own key, which is stored in the database. All replicas can check the signature, key
 * rotation doesn't break it, and no link outlives its file.
 */
function sign({ uid, data }: Linked, expiresAt: number): Buffer {
  const key = Buffer.from(data.file?.key ?? '', 'base64url');
  return createHmac('sha256', key).update(`download ${uid} ${expiresAt}`).digest();
}

/** Creates a path that opens the file for 15 minutes without an API key. */
export function createLink(
  artifact: Linked,
  now = Date.now(),
): { path: string; expiresAt: number } {
  const expiresAt = now + validMs;
  const signature = sign(artifact, expiresAt).toString('base64url');
  return {
    path: `/artifacts/${artifact.uid}?expires=${expiresAt}&signature=${signature}`,
    expiresAt,
  };
}

type LinkCheck = 'valid' | 'expired' | 'wrong';

export function checkLink(
  artifact: Linked,
  { expires, signature }: { expires: string; signature: string },
  now = Date.now(),
): LinkCheck {
  const expiresAt = Number(expires);
  if (!artifact.data.file || !Number.isSafeInteger(expiresAt)) return 'wrong';
  const [actual, expected] = [Buffer.from(signature, 'base64url'), sign(artifact, expiresAt)];
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'wrong';
  return now > expiresAt ? 'expired' : 'valid';
}
