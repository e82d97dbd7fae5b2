import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../../../../shared/', import.meta.url);

/** Slack's schemas and samples are next to a checkout, never in it. Without them, conformance tests are skipped. */
export const hasSharedData = existsSync(folder);

/** For the name of a skipped test. In CI nothing is skipped. */
export const whySkipped = 'skipped: ../shared is not beside this checkout';

export function sharedPath(path: string): string {
  return fileURLToPath(new URL(path, folder));
}

export function readSharedJson(path: string): unknown {
  return JSON.parse(readFileSync(sharedPath(path), 'utf8'));
}
