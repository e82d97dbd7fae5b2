import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../../base/test/support/bundle.ts';

const namespace = ['--net', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
const asMetadataService = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && exec "$@"';
const inNamespace = (command: readonly string[], timeout: number) =>
  execFileSync('unshare', [...namespace, 'sh', '-c', asMetadataService, 'sh', ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });

describe('the metadata service of a cloud provider', () => {
  it('is out of reach in a sandbox, even if a network list names it', () => {
    const program = bundle('packages/runs-service/test/sandbox-attacks/metadata-attack.ts');
    const printed = inNamespace([process.execPath, program], 280_000);
    const found = JSON.parse(printed) as Record<string, string>;
    for (const output of Object.values(found)) expect(output).toMatch(/^started\n/);
    for (const name of ['none', 'all']) expect(found[name]).toContain('PWNED');
    for (const name of ['default', 'listed']) expect(found[name]).not.toContain('PWNED');
    // The denial comes from the proxy, so the attack reached it.
    expect(found['listed']).toContain("agents can't reach");
  });
});
