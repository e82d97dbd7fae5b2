import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { RunsDispatcher } from './http/transport.ts';

/** Max number of connections to each service, shared by all clients. */
const maxConnections = 256;

/** Error for a host that isn't on the public internet. Thrown before the request is sent. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * Creates a pool of connections that several clients share. The caller closes it. The pool connects only to hosts on
 * the public internet, and to those that `canBePrivate` allows. It connects to the address that it checked, so a DNS
 * change can't bypass the check.
 */
export function createSharedDispatcher(
  canBePrivate: (hostname: string) => boolean,
): RunsDispatcher {
  const anywhere = buildConnector({});
  const publicOnly = buildConnector({ lookup: lookUpPublic });
  return new Agent({
    connections: maxConnections,
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (canBePrivate(options.hostname)) return anywhere(options, done);
      // Check a literal IP address here, because it needs no lookup.
      if (isIP(host) && !isPublicAddress(host)) return done(new PrivateAddressError(host), null);
      return publicOnly(options, done);
    },
  });
}

const lookUpPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '');
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
      return done(new PrivateAddressError(hostname), '');
    return options.all ? done(null, addresses) : done(null, first.address, first.family);
  });
};

/**
 * Addresses that aren't on the public internet, or don't stand for one host. Registry:
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const special = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, prefix, 'ipv4');

/**
 * IPv6 range of public addresses. `special` lists the exceptions: ranges that are reserved or stand for IPv4 addresses.
 */
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, prefix, 'ipv6');

/** Returns true if an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return global.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}
