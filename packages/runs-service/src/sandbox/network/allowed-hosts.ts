import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';

import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

const listOf = (ranges: readonly string[]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
};

/**
 * Addresses that the proxy never connects to. They are this machine, link-local addresses (which cloud providers use
 * for metadata), multicast, and addresses that translate to others.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const forbidden = listOf([
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['100.100.100.200/32', '168.63.129.16/32'],
  ...['::/127', 'fe80::/10', 'ff00::/8', 'fd00:ec2::/32', '64:ff9b::/96', '64:ff9b:1::/48'],
  ...['2002::/16', '2001::/32'],
]);

const internal = listOf([
  ...[
    '10.0.0.0/8',
    '100.64.0.0/10',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '198.18.0.0/15',
    'fc00::/7',
  ],
]);

type Interfaces = Record<string, Pick<NetworkInterfaceInfo, 'address'>[] | undefined>;

/** Returns the machine's addresses as a `BlockList`, which matches an address in any spelling. */
const addressesOf = (interfaces: Interfaces) =>
  listOf(
    Object.values(interfaces)
      .flatMap((all) => all ?? [])
      .map(({ address }) => `${address}/${isIPv6(address) ? 128 : 32}`),
  );

/**
 * Returns the kind of an address. The proxy never connects to `machine` addresses. The proxy connects to `internal`
 * addresses only if the host's name is listed.
 */
export function addressKind(
  address: string,
  interfaces: Interfaces = networkInterfaces(),
): 'machine' | 'internal' | 'public' {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (addressesOf(interfaces).check(address, family)) return 'machine';
  if (forbidden.check(address, family)) return 'machine';
  return internal.check(address, family) ? 'internal' : 'public';
}

type Resolve = (host: string) => Promise<string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export type Target = { host: string; port: number };

/** Ports of HTTP and HTTPS. */
const usualPorts = [80, 443];

/**
 * Matches a host with a list of domains: `example.com`, `*.example.com` for all subdomains, or `*` for all hosts.
 * Returns `named` for a listed domain, `any` if only `*` matches, and otherwise undefined. An entry applies to the
 * ports of HTTP, or to the port that it ends in, such as `example.com:8443`.
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
 * Returns the address to connect to, or the reason for a denial as the end of a sentence. The host is resolved only
 * once, because a second result could differ from the checked address.
 */
export async function findAddress(
  { host, port }: Target,
  domains: readonly string[],
  resolve: Resolve = resolveHost,
): Promise<{ address: string } | { denial: string }> {
  const match = matchOf({ host, port }, domains);
  if (match === undefined) {
    const isOtherPort = usualPorts.some((usual) => matchOf({ host, port: usual }, domains));
    return { denial: isOtherPort ? otherPort : notListed };
  }
  const addresses = isIP(host) ? [host] : await resolve(host);
  const allowed = addresses.find((address) => {
    const place = addressKind(address);
    return place === 'public' || (place === 'internal' && match === 'named');
  });
  if (allowed !== undefined) return { address: allowed };
  return { denial: "has an address of this machine or network, which agents can't reach" };
}
