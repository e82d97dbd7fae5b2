import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** If it's not in the PATH. */
const program = process.env['HELM'] ?? 'helm';

export const chart = fileURLToPath(
  new URL('../../../../../deploy/helm/slash-agent', import.meta.url),
);

const helm = (command: string[], values: object): string =>
  execFileSync(program, [...command, '--values', '-'], {
    encoding: 'utf8',
    input: JSON.stringify(values),
    stdio: 'pipe',
    env: { HOME: '/nonexistent', PATH: process.env['PATH'] },
  });

/** The manifests of a release with these values. */
export const renderChart = (values: object, namespace = 'slash-agent'): string =>
  helm(['template', 'any-release', chart, '--namespace', namespace], values);

/** What helm found, with the number of mistakes at its end. */
export const lintChart = (values: object): string => helm(['lint', '--strict', chart], values);
