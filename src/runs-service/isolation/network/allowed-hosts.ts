import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { placeOf } from './addresses.ts';

type Resolve = (host: string) => Promise<string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Whether a list of domains has the host: `example.com`, `*.example.com` for all below it, or `*` for all. */
export function matchOf(host: string, domains: readonly string[]): 'named' | 'any' | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  const isNamed = domains.some((domain) =>
    domain.startsWith('*.') ? name.endsWith(domain.slice(1)) : name === domain,
  );
  if (isNamed) return 'named';
  return domains.includes('*') ? 'any' : undefined;
}

/**
 * The address to connect to, checked after its only resolution, so that a second answer can't lead elsewhere; or why
 * the host can't be reached.
 */
export async function findAddress(
  host: string,
  domains: readonly string[],
  resolve: Resolve = resolveHost,
): Promise<{ address: string } | { refusal: string }> {
  const match = matchOf(host, domains);
  if (match === undefined) return { refusal: `${host} isn't in the environment's "network"` };
  const addresses = isIP(host) ? [host] : await resolve(host);
  const allowed = addresses.find((address) => {
    const place = placeOf(address);
    return place === 'public' || (place === 'internal' && match === 'named');
  });
  if (allowed !== undefined) return { address: allowed };
  return { refusal: `${host} has an address of this machine or network, which agents can't reach` };
}
