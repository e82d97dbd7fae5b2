import { processEnvironment } from 'base/config/environment';
import { ExplainedError } from 'base/explained-error';
import { readArguments } from 'base/process/read-arguments';
import { readAppScopes } from '../config/app-scopes.ts';
import { describeFindings, findingsAsJson, isHealthy } from '../doctor/report.ts';
import { runDiagnostics } from '../doctor/run-diagnostics.ts';

export const usage = `Usage: slash-agent doctor [--json]
  Looks for problems with the bot's settings, and changes nothing. The exit code is 1 if there are any.
    --json   Prints JSON.`;

export async function run(args: readonly string[]): Promise<void> {
  const { positionals, values } = readArguments(args, usage, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new ExplainedError(usage);
  const variables = processEnvironment();
  const findings = await runDiagnostics({
    variables,
    envFile: '.env',
    nodeVersion: process.versions.node,
    scopes: readAppScopes(variables['RUNS_ON_BEHALF_OF'] === 'email'),
    now: Date.now,
  });
  process.stdout.write((values.json ? findingsAsJson : describeFindings)(findings));
  // Exit explicitly, because database drivers may keep connections open for a while.
  process.exit(isHealthy(findings) ? 0 : 1);
}
