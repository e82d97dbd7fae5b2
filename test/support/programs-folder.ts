import { mkdirSync, mkdtempSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Inside `node_modules`, so that bundles find the installed packages. */
const parent = fileURLToPath(
  new URL('../../node_modules/.cache/slash-agent-test/', import.meta.url),
);

export function createProgramsFolder(): string {
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(parent);
}
