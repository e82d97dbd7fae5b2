import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { placeOf } from './addresses.ts';

type Resolve = (host: string) => Promise<string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export type Target = { host: string; port: number };

/** Of HTTP and HTTPS. */
const usualPorts = [80, 443];

/**
 * Whether a list of domains has the host: `example.com`, `*.example.com` for all below it, or `*` for all. An entry is for
 * the ports of HTTP, or for the one port that it ends in, such as `example.com:8443`.
 */
export function matchOf(
  { host, port }: Target,
  domains: readonly string[],
): 'named' | 'any' | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  const ofPort = domains.flatMap((entry) => {
    const [domain = '', only] = entry.split(':');
    const ports = only === undefined ? usualPorts : [Number(only)];
    return ports.includes(port) ? [domain] : [];
  });
  const isNamed = ofPort.some((domain) =>
    domain.startsWith('*.') ? name.endsWith(domain.slice(1)) : name === domain,
  );
  if (isNamed) return 'named';
  return ofPort.includes('*') ? 'any' : undefined;
}

const notListed = 'isn\'t in the environment\'s "network"';
const otherPort = `${notListed}, where a host without a port is for 80 and 443`;

/**
 * The address to connect to, checked after its only resolution, so that a second answer can't lead elsewhere; or why
 * the host can't be reached, as the end of a sentence that begins with it.
 */
export async function findAddress(
  { host, port }: Target,
  domains: readonly string[],
  resolve: Resolve = resolveHost,
): Promise<{ address: string } | { refusal: string }> {
  const match = matchOf({ host, port }, domains);
  if (match === undefined) {
    const isOtherPort = usualPorts.some((usual) => matchOf({ host, port: usual }, domains));
    return { refusal: isOtherPort ? otherPort : notListed };
  }
  const addresses = isIP(host) ? [host] : await resolve(host);
  const allowed = addresses.find((address) => {
    const place = placeOf(address);
    return place === 'public' || (place === 'internal' && match === 'named');
  });
  if (allowed !== undefined) return { address: allowed };
  return { refusal: "has an address of this machine or network, which agents can't reach" };
}
