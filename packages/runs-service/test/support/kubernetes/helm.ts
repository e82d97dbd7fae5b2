import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Path of helm, if it isn't in `PATH`. */
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

/** Returns the manifests of a release with these values. */
export const renderChart = (values: object, namespace = 'slash-agent'): string =>
  helm(['template', 'any-release', chart, '--namespace', namespace], values);

/** Returns helm's findings, with the number of mistakes at the end. */
export const lintChart = (values: object): string => helm(['lint', '--strict', chart], values);
