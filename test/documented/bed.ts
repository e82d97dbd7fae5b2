import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, onTestFinished } from 'vitest';
import { bundleSlashAgent } from '../../packages/base/test/support/bundle.ts';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { untilExit } from '../../packages/base/test/support/program.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { collect } from '../../packages/runs-service/test/support/serve-runs.ts';
import { startLine, typeLine } from '../support/checkout.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type Bed = Awaited<ReturnType<typeof startBed>>;

/**
 * Creates an empty folder to type commands in, with a Slack and a runs service that they can reach. `npx slash-agent` is the
 * program of this checkout. test/checkout.process.test.ts uses the real npx.
 */
export async function startBed() {
  const manifest = readManifest(join(root, 'manifest.yml'));
  const workspace = createLocalWorkspace({ manifest, logger: createLogger('silent') });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { service } = await startRunsService({ environments: [shellEnvironment('true')] });
  const folder = temporaryFolder();
  copyFileSync(join(root, '.env.example'), join(folder, '.env.example'));
  const programs = temporaryFolder();
  const npx = join(programs, 'npx');
  const program = `${process.execPath} ${bundleSlashAgent()}`;
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = slash-agent ] && shift && exec ${program} "$@"\n`);
  chmodSync(npx, 0o755);
  const variables = {
    PATH: `${programs}:${process.env['PATH']}`,
    SLACK_API_URL: workspace.apiUrl,
    PORT: String(await freePort()),
    RUNS_SERVICE_PORT: String(await freePort()),
    RUNS_SERVICE_ALLOW_ROOT: 'true',
  };

  return {
    workspace,
    service,
    folder,
    variables,
    file: (name: string) => join(folder, name),
    /** Types a line that succeeds. @returns its output */
    async types(line: string, more: Record<string, string> = {}): Promise<string> {
      const { code, stdout, stderr } = await typeLine(folder, line, { ...variables, ...more });
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: expect.anything() });
      return stdout;
    },
    /** Starts a program that runs until Ctrl-C. */
    starts(line: string) {
      const child = startLine(folder, line, variables);
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = untilExit(child);
      const printed = collect(child);
      return {
        printed,
        async stop(): Promise<void> {
          child.kill('SIGINT');
          const { code, output } = await ended;
          expect(code, output).toBe(0);
        },
      };
    },
  };
}
