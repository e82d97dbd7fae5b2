import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForRun } from '../../src/gateway/listen-for-run.ts';
import { runTool } from '../../src/sandbox/run-tool.ts';
import { createSandboxes, type SandboxedEnvironment } from '../../src/sandbox/sandboxes.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const path = process.env['PATH'] ?? '';

/** Listens as the gateway does for one run. Returns the folder of its socket. */
async function listenAs(name: string): Promise<string> {
  const listener = await listenForRun((request, response) => {
    request.resume().on('end', () => response.end(`I am ${name}\n`));
  }, 'socket');
  onTestFinished(listener.close);
  if (!('folder' in listener.address)) throw new Error('no socket');
  return listener.address.folder;
}

function sandboxOf(environment: SandboxedEnvironment, modelsFolder: string | undefined) {
  const dataDir = temporaryFolder();
  const sandboxes = createSandboxes({ dataDir, path, logger: createLogger('silent') });
  const folder = temporaryFolder();
  const sandbox = sandboxes.open(environment, { runId: 'r', folder, modelsFolder });
  return async (script: string) => {
    const options = { cwd: folder, variables: { PATH: path }, timeoutMs: 60_000 };
    return (await runTool(sandbox.run, ['sh', '-c', script], options)).output;
  };
}

const ask = 'curl -sS --noproxy "*" --max-time 10 http://127.0.0.1:3129/anthropic';

describe('the socket of the model gateway in bubblewrap', () => {
  it.each([
    ['none', 'none'],
    ['no setting for the network', undefined],
    ['a list of hosts', ['example.org']],
  ] as const)('is reached with network: %s', async (_, network) => {
    const folder = await listenAs('the gateway');
    const run = sandboxOf(
      { isolation: 'bubblewrap', ...(network && { network: network as 'none' | string[] }) },
      folder,
    );
    expect(await run(ask)).toBe('I am the gateway');
  });

  it('is reached within a memory limit', async () => {
    const folder = await listenAs('the gateway');
    const limits = { memory_mb: 700 };
    const run = sandboxOf({ isolation: 'bubblewrap', network: 'none', limits }, folder);
    expect(await run(ask)).toBe('I am the gateway');
  });

  it('gives no other network with network: none, and no proxy', async () => {
    const folder = await listenAs('the gateway');
    const run = sandboxOf({ isolation: 'bubblewrap', network: 'none' }, folder);
    expect(await run('echo "[$HTTP_PROXY]"; grep -c : /proc/net/dev')).toBe('[]\n1');
    expect(await run('curl -sS --max-time 5 http://127.0.0.1:3128/ || true')).toContain(
      "Couldn't connect",
    );
  });

  it("isn't reached through the forward proxy", async () => {
    const folder = await listenAs('the gateway');
    const run = sandboxOf({ isolation: 'bubblewrap', network: ['127.0.0.1:3129'] }, folder);
    const through = 'curl -sS -x http://127.0.0.1:3128 --noproxy "" http://127.0.0.1:3129/x';
    expect(await run(through)).toContain("which agents can't reach");
  });

  it('is the only one in the sandbox, while another run has its own', async () => {
    const [mine, other] = [await listenAs('mine'), await listenAs('other')];
    const run = sandboxOf({ isolation: 'bubblewrap', network: 'none' }, mine);
    expect(await run('find / -type s -not -path "/proc/*" 2>/dev/null')).toBe(
      '/run/slash-agent/models/socket',
    );
    expect(await run(`curl -sS --unix-socket ${other}/socket http://x/ || true`)).not.toContain(
      'I am',
    );
  });

  it('is not there for a run without models', async () => {
    const run = sandboxOf({ isolation: 'bubblewrap' }, undefined);
    expect(await run(`${ask} || true`)).toContain("Couldn't connect");
    expect(await run('ls /run/slash-agent')).toBe('node\nproxy');
  });
});
