import { readAppScopes } from './config/app-scopes.ts';
import { processEnvironment } from './config/environment.ts';
import { examine } from './doctor/examine.ts';
import { describeFindings, findingsAsJson } from './doctor/report.ts';

/** `npm run doctor [-- --json]`: looks for faults, and exits with 1 if there are any. */
const [, , option, ...more] = process.argv;
if ((option !== undefined && option !== '--json') || more.length > 0) {
  process.stderr.write('Usage: npm run doctor, or npm run --silent doctor -- --json\n');
  process.exit(1);
}
const variables = processEnvironment();
const findings = await examine({
  variables,
  envFile: '.env',
  nodeVersion: process.versions.node,
  scopes: readAppScopes(variables['RUNS_ON_BEHALF_OF'] === 'email'),
  now: Date.now,
});
process.stdout.write((option === '--json' ? findingsAsJson : describeFindings)(findings));
// Drivers may keep connections open for a while.
process.exit(findings.length === 0 ? 0 : 1);
