import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPublicAddress } from './http/public-address.ts';
import type { RunsDispatcher } from './http/transport.ts';

/** For each service, of all clients together. */
const maxConnections = 256;

/** A host that isn't on the public internet. Nothing was sent. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/**
 * Connections that several clients share; you close it. It only connects to hosts on the public internet, and to those
 * that `mayBePrivate` allows. The address that is checked is the one that it connects to, so a name can't change between.
 */
export function createSharedDispatcher(
  mayBePrivate: (hostname: string) => boolean,
): RunsDispatcher {
  const anywhere = buildConnector({});
  const publicOnly = buildConnector({ lookup: lookUpPublic });
  return new Agent({
    connections: maxConnections,
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (mayBePrivate(options.hostname)) return anywhere(options, done);
      // No name is looked up for an address.
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
