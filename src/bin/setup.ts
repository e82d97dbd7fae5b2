import { readFileSync } from 'node:fs';
import { processEnvironment } from 'base/config/environment';
import { assertNoArguments } from 'base/process/read-arguments';
import { parse } from 'yaml';
import { readAppScopes } from '../config/app-scopes.ts';
import { manifestText } from '../manifest/manifest-command.ts';
import { withPrompts } from '../setup/prompts.ts';
import { setUp } from '../setup/setup.ts';

export const usage = `Usage: slash-agent setup
  Asks for the settings of a bot in one workspace, checks each, writes .env and environments.yml in this folder, and
  ends in the doctor. It can be run again: it keeps what you don't change.`;

export async function run(args: readonly string[]): Promise<void> {
  assertNoArguments(args, usage);
  const variables = processEnvironment();
  const readsEmail = variables['RUNS_ON_BEHALF_OF'] === 'email';
  const source: unknown = parse(
    readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'),
  );
  const isHealthy = await withPrompts((prompts) =>
    setUp({
      prompts,
      variables,
      folder: process.cwd(),
      nodeVersion: process.versions.node,
      scopes: readAppScopes(readsEmail),
      manifestFor: (domains) =>
        manifestText(source, [
          ...domains.flatMap((domain) => ['--unfurl-domain', domain]),
          ...(readsEmail ? ['--email'] : []),
        ]),
    }),
  );
  // Exit explicitly, because database drivers may keep connections open for a while.
  process.exit(isHealthy ? 0 : 1);
}
