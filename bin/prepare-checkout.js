import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = ['base', 'runs-client', 'runs-service', 'slack-stand-in', 'demo'];
const sources = ['src', ...packages.map((name) => `packages/${name}/src`)];
const results = sources.map((folder) => folder.replace(/src$/, 'dist'));
const at = (path) => `${root}${path}`;
const note = (line) => process.stderr.write(`${line}\n`);

/** Returns the time of the newest file, in epoch milliseconds. */
const newest = (folder) =>
  readdirSync(at(folder), { recursive: true }).reduce(
    (latest, name) => Math.max(latest, statSync(at(`${folder}/${name}`)).mtimeMs),
    0,
  );

/** Builds a checkout that was never built. Never builds again, because the bot may be running from these files. */
export function prepareCheckout() {
  // Only a checkout has sources.
  if (!existsSync(at('src'))) return;
  if (!existsSync(at('node_modules'))) {
    note('Run npm ci first.');
    process.exit(1);
  }
  if (!results.every((folder) => existsSync(at(folder)))) {
    note('Building slash-agent once …');
    const stdio = ['ignore', process.stderr, process.stderr];
    const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio });
    if (status !== 0) process.exit(1);
  } else if (Math.max(...sources.map(newest)) > Math.min(...results.map(newest)))
    note('The sources are newer than the build. To use them, run npm run build and start again.');
}
