import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** The demo agent as one JavaScript file that this Node runs, for tests that start it as a process. */
export function demoAgentCommand(): string[] {
  const outfile = join(mkdtempSync(join(tmpdir(), 'demo-agent-')), 'demo-agent.mjs');
  buildSync({
    entryPoints: [
      fileURLToPath(new URL('../../src/runs-service/demo-agent/main.ts', import.meta.url)),
    ],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return [process.execPath, outfile];
}
