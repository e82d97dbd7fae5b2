import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../../../../shared/', import.meta.url);

/**
 * True if Slack's schemas and samples exist. They're next to a checkout, never in it, and conformance tests are skipped
 * without them.
 */
export const hasSharedData = existsSync(folder);

/** Reason in the name of a skipped test. In CI nothing is skipped. */
export const whySkipped = 'skipped: ../shared is not next to this checkout';

export function sharedPath(path: string): string {
  return fileURLToPath(new URL(path, folder));
}

export function readSharedJson(path: string): unknown {
  return JSON.parse(readFileSync(sharedPath(path), 'utf8'));
}
