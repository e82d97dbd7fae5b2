import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { ModelApi, ModelProvider } from '../environments/models-config.ts';
import { addressKind } from '../sandbox/network/allowed-hosts.ts';

/** Addresses of the APIs' vendors. That of OpenAI includes the version, as in all OpenAI clients. */
const vendors: Record<ModelApi, string> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  gemini: 'https://generativelanguage.googleapis.com',
};

const connectMs = 10_000;

type Provider = Pick<ModelProvider, 'api' | 'base_url' | 'allow_private'>;
type UpstreamCall = {
  path: string;
  headers: Record<string, string>;
  chunks: readonly Buffer[];
  signal: AbortSignal;
  /** Called when the body is about to be sent, so from then on the provider can bill the call. */
  onSent: () => void;
};
export type UpstreamResponse = Dispatcher.ResponseData;
export type Upstream = {
  /** Sends a call, at most once. */
  send(provider: Provider, call: UpstreamCall): Promise<UpstreamResponse>;
  close(): Promise<void>;
};

/**
 * Sends calls to providers. Each has its own pool of connections. Time limits are the caller's, because models can think
 * for many minutes.
 */
export function createUpstream(): Upstream {
  const pools = new Map<string, Pool>();
  return {
    async send(provider, { path, headers, chunks, signal, onSent }) {
      const base = new URL(provider.base_url ?? vendors[provider.api]);
      const isPrivate = provider.allow_private ?? false;
      const poolName = `${base.origin} ${isPrivate}`;
      const pool = pools.get(poolName) ?? openPool(base.origin, isPrivate);
      pools.set(poolName, pool);
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      async function* body() {
        onSent();
        yield* chunks;
      }
      return await pool.request({
        method: 'POST',
        path: base.pathname.replace(/\/+$/, '') + path,
        headers: { ...headers, 'content-length': String(length) },
        body: Readable.from(body(), { objectMode: false }),
        highWaterMark: 16 * 1024,
        signal,
      });
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** The connection is to an address that was checked, so a DNS change can't bypass the check. */
function openPool(origin: string, isPrivate: boolean): Pool {
  const connector = buildConnector({
    timeout: connectMs,
    ...(!isPrivate && { lookup: lookUpPublic }),
  });
  return new Pool(origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An IP address needs no lookup, so check it here.
      if (!isPrivate && isIP(host) !== 0 && addressKind(host) !== 'public')
        return done(new PrivateAddressError(), null);
      return connector(options, (...[error, socket]) => {
        if (error) return done(error, null);
        socket.setKeepAlive(true, 30_000).setNoDelay(true);
        return done(null, socket);
      });
    },
  });
}

class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'PRIVATE_ADDRESS';
}

const lookUpPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '');
    const found = addresses.filter(({ address }) => addressKind(address) === 'public');
    const [first] = found;
    if (!first) return done(new PrivateAddressError(), '');
    return options.all ? done(null, found) : done(null, first.address, first.family);
  });
};
