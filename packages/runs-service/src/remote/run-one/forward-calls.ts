import {
  type ClientRequest,
  type IncomingMessage,
  type RequestListener,
  request as requestPlain,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import type { Logger } from 'base/logger';
import type { ModelProvider } from '../../environments/models-config.ts';
import { endRest, noToken, notFound, type Rejection, reject } from '../../gateway/rejections.ts';
import { findRoute } from '../../gateway/routes.ts';
import { hashToken, isToken, readToken } from '../../gateway/tokens.ts';

/** Headers of a connection, which aren't passed on. */
const ownHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
]);
const credentials = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'cookie']);
/** Time between probes of a silent connection, in ms. They keep it open in load balancers. */
const probeMs = 30_000;

/**
 * Creates a function that passes the model calls of a run on to the service, byte by byte. It neither buffers nor
 * repeats a call, and a call can be silent for any time. Calls without the run's token end here.
 */
export function createForwarder({
  serviceUrl,
  token,
  providers,
  logger,
}: {
  serviceUrl: string;
  token: string;
  providers: readonly ModelProvider[];
  logger: Logger;
}): RequestListener {
  const tokenHash = hashToken(token);
  const service = new URL(serviceUrl);
  const send = service.protocol === 'https:' ? requestTls : requestPlain;
  const prefix = `${service.pathname.replace(/\/$/, '')}/models`;

  return (request, response) => {
    response.on('error', () => undefined);
    const { method = '', url = '' } = request;
    const routed = findRoute(method, url, providers);
    const api = routed?.provider.api ?? 'openai';
    const rejectNow = (rejection: Rejection) => {
      reject(response, api, rejection);
      endRest(request);
    };
    if (!routed || routed.route.kind === 'unknown') return rejectNow(notFound);
    if (routed.route.kind === 'base') return void response.writeHead(204).end();
    if (!isToken(readToken(request, routed.queryKey), tokenHash)) return rejectNow(noToken);
    const onward = send({
      ...urlToHttpOptions(service),
      method,
      path: prefix + withoutKey(url),
      headers: { ...passed(request, credentials), authorization: `Bearer ${token}` },
    });
    passOn(request, onward, response).catch((error: unknown) => {
      // Nothing is wrong if the agent has disconnected.
      if (response.destroyed) return;
      logger.warn({ err: error }, 'a model call was cut off on its way to the service');
      if (response.headersSent) response.destroy();
      else rejectNow(unreachable);
    });
  };
}

/** Sends a request, and passes the response back. */
async function passOn(request: IncomingMessage, onward: ClientRequest, response: ServerResponse) {
  onward.on('socket', (socket) => socket.setKeepAlive(true, probeMs).setNoDelay(true));
  // The agent has disconnected, or a rejection arrived before its request was sent.
  response.once('close', () => onward.destroy());
  onward.flushHeaders();
  request.pipe(onward);
  const answer = await new Promise<IncomingMessage>((resolve, fail) => {
    onward.once('response', resolve).on('error', fail);
  });
  response.writeHead(answer.statusCode ?? 502, passed(answer));
  response.flushHeaders();
  await pipeline(answer, response);
}

/** Returns the headers to pass on, as they were sent. */
function passed(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  except: ReadonlySet<string> = new Set(),
): Record<string, string | string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/);
  const found: Record<string, string | string[]> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [sentName = '', value = ''] = rawHeaders.slice(at, at + 2);
    const name = sentName.toLowerCase();
    if (ownHeaders.has(name) || except.has(name) || named.includes(name)) continue;
    const before = found[name];
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}

/** Removes a token from the query, because proxies log it. */
function withoutKey(url: string): string {
  const [path = '', query = ''] = url.split('?');
  const rest = query.split('&').filter((each) => each !== '' && !each.startsWith('key='));
  return rest.length === 0 ? path : `${path}?${rest.join('&')}`;
}

const unreachable: Rejection = {
  status: 502,
  code: 'unreachable',
  message: "The runs service can't be reached. Send the call again.",
};
