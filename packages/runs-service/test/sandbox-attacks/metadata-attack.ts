import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import type { Network } from '../../src/sandbox/bubblewrap.ts';
import { createSandboxes } from '../../src/sandbox/sandboxes.ts';

/**
 * Runs in its own network namespace, as the metadata service of a cloud provider. Prints the answers that agents get,
 * by the way they connect and by their network setting.
 */
const address = '169.254.169.254';
const urls = [
  `http://${address}/`,
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://metadata.test/',
];
/** Ways to connect with `curl`: over the sandbox's proxy, and directly. */
const ways = ['--resolve metadata.test:80:169.254.169.254', "--noproxy '*'"];
const script = urls
  .flatMap((url) => ways.map((way) => `curl -s -m 3 --noproxy '' ${way} '${url}'; echo`))
  .join('\n');

const server = createServer((_request, response) => response.end('PWNED\n'));
await new Promise<void>((resolve) => server.listen(80, address, resolve));
const dataDir = mkdtempSync(join(tmpdir(), 'slash-agent-'));
const folder = join(dataDir, 'run');
mkdirSync(folder);
const path = process.env['PATH'] ?? '';
const sandboxes = createSandboxes({
  dataDir,
  path,
  allowRoot: true,
  logger: createLogger('silent'),
});

async function attack(environment: { isolation?: 'none'; network?: Network }): Promise<string> {
  let output = '';
  await sandboxes.open(environment, { runId: 'attack', folder }).run({
    argv: ['sh', '-c', `echo started\n${script}`],
    cwd: folder,
    variables: { PATH: path },
    onOutput: (chunk) => {
      output += chunk.toString();
    },
    timeoutMs: 100_000,
    graceMs: 500,
    signal: new AbortController().signal,
  });
  return output;
}

const found = {
  none: await attack({ isolation: 'none' }),
  all: await attack({ network: 'all' }),
  default: await attack({}),
  listed: await attack({ network: [address, '*', 'metadata.test'] }),
};
process.stdout.write(`${JSON.stringify(found)}\n`);
server.close();
server.closeAllConnections();
