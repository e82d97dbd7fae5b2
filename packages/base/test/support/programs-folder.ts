import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder is inside `node_modules`, so that bundles find the installed packages. */
const parent = fileURLToPath(
  new URL('../../../../node_modules/.cache/slash-agent-test/', import.meta.url),
);
const manifest = new URL('../../../../manifest.yml', import.meta.url);

export function createProgramsFolder(): string {
  mkdirSync(parent, { recursive: true });
  // A bundled program looks for the manifest two folders up.
  copyFileSync(manifest, `${parent}../manifest.yml`);
  return mkdtempSync(parent);
}
