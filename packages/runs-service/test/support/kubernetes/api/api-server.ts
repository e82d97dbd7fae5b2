import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Rejection } from '../cluster.ts';
import { createApiFaults } from './api-faults.ts';
import { sendDiscovery } from './discovery.ts';
import type { ClusterObject, ObjectStore } from './object-store.ts';
import { isAllowed, type Rights } from './rights.ts';
import { fits, type Selection, selectionOf } from './selection.ts';
import { whyInvalid } from './validation.ts';
import { withDefaults } from './with-defaults.ts';

export type ApiServerOptions = {
  store: ObjectStore;
  certificate: { key: string; cert: string };
  namespace: string;
  rights: Rights | undefined;
  remove: (kind: string, name: string, propagation: string) => void;
  bookmarkMs: number;
  logOf: (pod: ClusterObject) => Buffer;
  whyNoJob: () => Rejection | undefined;
};

export class Rejected extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

const kinds: Record<string, { kind: string; apiVersion: string }> = {
  jobs: { kind: 'Job', apiVersion: 'batch/v1' },
  pods: { kind: 'Pod', apiVersion: 'v1' },
  secrets: { kind: 'Secret', apiVersion: 'v1' },
  events: { kind: 'Event', apiVersion: 'v1' },
};

const statusOf = ({ code, reason, message }: Rejected) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code,
  reason,
  message,
});

/** Serves the part of the Kubernetes API that Jobs need, over HTTP. */
export async function startApiServer(options: ApiServerOptions) {
  const { store, namespace } = options;
  const faults = createApiFaults();
  const watches = new Set<ServerResponse>();
  const pages = new Map<string, ClusterObject[]>();
  const requests: string[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://cluster');
    const { method = 'GET' } = request;
    const isAdmin = request.headers.authorization === 'Bearer admin';
    const how = isAdmin ? undefined : faults.take(method, request.url ?? '');
    if (how === 'hangs') return;
    if (how === 'rejected') {
      response.socket?.destroy();
      return;
    }
    const body = method === 'GET' ? '' : await text(request);
    const answer = (status: number, content: object) => {
      if (how === 'lost reply') response.socket?.destroy();
      else
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(content));
    };
    try {
      if (typeof how === 'object') {
        if (how.retryAfter !== undefined) response.setHeader('retry-after', how.retryAfter);
        throw new Rejected(
          how.status,
          'Fault',
          'the server is currently unable to handle the request',
        );
      }
      if (!isAdmin && request.headers.authorization !== 'Bearer service')
        throw new Rejected(401, 'Unauthorized', 'Unauthorized');
      if (!isAdmin) requests.push(`${method} ${request.url}`);
      if (sendDiscovery(url.pathname, answer)) return;
      const rights = isAdmin ? undefined : options.rights;
      route({ method, url, body, rights, response, answer, isAdmin });
    } catch (error) {
      const rejected = error instanceof Rejected ? error : new Rejected(500, 'Bug', String(error));
      answer(rejected.code, statusOf(rejected));
    }
  }

  type Routed = {
    method: string;
    url: URL;
    body: string;
    rights: Rights | undefined;
    response: ServerResponse;
    answer: (status: number, content: object) => void;
    isAdmin: boolean;
  };

  function route(routed: Routed): void {
    const { method, url, body, rights, answer } = routed;
    if (url.pathname.endsWith('/selfsubjectaccessreviews')) {
      const review = JSON.parse(body);
      const allowed = isAllowed(rights, review.spec.resourceAttributes);
      answer(201, { ...review, status: { allowed } });
      return;
    }
    const place =
      /^\/(?:api\/v1|apis\/(batch)\/v1)\/namespaces\/([^/]+)\/(\w+)(?:\/([^/]+))?(\/log)?$/;
    const [, group = '', space, resource = '', name, log] = place.exec(url.pathname) ?? [];
    const known = kinds[resource];
    if (!known || (group === 'batch') !== (resource === 'jobs'))
      throw new Rejected(404, 'NotFound', 'the server could not find the requested resource');
    const isWatch =
      url.searchParams.get('watch') === 'true' || url.searchParams.get('watch') === '1';
    const reading = isWatch ? 'watch' : name === undefined ? 'list' : 'get';
    const verb =
      { GET: reading, POST: 'create', DELETE: 'delete', PATCH: 'patch' }[method] ?? method;
    const needed = { group, verb, resource: log ? `${resource}/log` : resource };
    if (!isAllowed(rights, needed)) {
      const what = `${resource}${group === '' ? '' : `.${group}`}`;
      const words = `${what}${name === undefined ? '' : ` "${name}"`} is forbidden: User "system:serviceaccount:${namespace}:slash-agent" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "${space}"`;
      throw new Rejected(403, 'Forbidden', words);
    }
    if (method === 'POST' && space !== namespace)
      throw new Rejected(404, 'NotFound', `namespaces "${space}" not found`);
    act(routed, known, { verb, name, isLog: log !== undefined, isRemote: space !== namespace });
  }

  function act(
    { url, body, answer, response }: Routed,
    { kind, apiVersion }: { kind: string; apiVersion: string },
    at: { verb: string; name: string | undefined; isLog: boolean; isRemote: boolean },
  ): void {
    const found = at.name === undefined ? undefined : store.get(kind, at.name);
    const selection = selectionOf(url.searchParams);
    if (at.verb === 'list') {
      answer(200, list(kind, apiVersion, at.isRemote ? undefined : selection, url));
    } else if (at.verb === 'watch') {
      watch(kind, selection, url, response);
    } else if (at.verb === 'create') {
      answer(201, create(kind, JSON.parse(body), url.searchParams.has('dryRun')));
    } else if (!found) {
      const resource = `${kind.toLowerCase()}s${kind === 'Job' ? '.batch' : ''}`;
      throw new Rejected(404, 'NotFound', `${resource} "${at.name}" not found`);
    } else if (at.isLog) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(options.logOf(found));
    } else if (at.verb === 'get') {
      answer(200, found);
    } else if (at.verb === 'delete') {
      const given = body === '' ? {} : JSON.parse(body);
      const { propagationPolicy = url.searchParams.get('propagationPolicy') } = given;
      options.remove(kind, found.metadata.name, propagationPolicy ?? 'Background');
      answer(200, store.get(kind, found.metadata.name) ?? found);
    } else throw new Rejected(405, 'MethodNotAllowed', `${at.verb} isn't supported here`);
  }

  function create(kind: string, given: ClusterObject, isDryRun: boolean): ClusterObject {
    const rejection = kind === 'Job' ? options.whyNoJob() : undefined;
    if (given.kind !== kind) throw new Rejected(400, 'BadRequest', `it isn't a ${kind}`);
    const invalid = whyInvalid(given);
    if (invalid !== undefined)
      throw new Rejected(
        422,
        'Invalid',
        `${kind}.batch "${given.metadata.name}" is invalid: ${invalid}`,
      );
    if (rejection) throw new Rejected(rejection.code, rejection.reason, rejection.message);
    if (store.get(kind, given.metadata.name)) {
      const words = `${kind.toLowerCase()}s "${given.metadata.name}" already exists`;
      throw new Rejected(409, 'AlreadyExists', words);
    }
    const object = { ...given, metadata: { ...given.metadata, namespace } };
    if (isDryRun) return object;
    return withDefaults(store, store.create(object));
  }

  function list(
    kind: string,
    apiVersion: string,
    selection: Selection | undefined,
    url: URL,
  ): object {
    const token = url.searchParams.get('continue');
    const all = token
      ? pages.get(token)
      : store.list(kind).filter((object) => selection && fits(object, selection));
    if (!all) throw new Rejected(410, 'Expired', 'The provided continue parameter is too old');
    const limit = Number(url.searchParams.get('limit') ?? 0) || all.length;
    const items = all.slice(0, limit);
    const next = all.length > limit ? String(pages.size + 1) : undefined;
    if (next !== undefined) pages.set(next, all.slice(limit));
    const metadata = { resourceVersion: String(store.version), ...(next && { continue: next }) };
    return { kind: `${kind}List`, apiVersion, metadata, items };
  }

  function watch(kind: string, selection: Selection, url: URL, response: ServerResponse): void {
    const from = Number(url.searchParams.get('resourceVersion') ?? store.version);
    const missed = store.since(from === 0 ? store.version : from);
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    const send = (type: string, object: object) =>
      response.write(`${JSON.stringify({ type, object })}\n`);
    if (!missed) {
      send('ERROR', statusOf(new Rejected(410, 'Expired', `too old resource version: ${from}`)));
      response.end();
      return;
    }
    const offer = ({ type, object }: { type: string; object: ClusterObject }) => {
      if (object.kind === kind && fits(object, selection)) send(type, object);
    };
    missed.forEach(offer);
    watches.add(response);
    const unsubscribe = store.subscribe(offer);
    const hasBookmarks = url.searchParams.get('allowWatchBookmarks') === 'true';
    const bookmark = () =>
      send('BOOKMARK', { kind, metadata: { resourceVersion: String(store.version) } });
    const bookmarks = hasBookmarks ? setInterval(bookmark, options.bookmarkMs) : undefined;
    const seconds = Number(url.searchParams.get('timeoutSeconds') ?? 1_800);
    const limit = setTimeout(() => response.end(), seconds * 1_000);
    response.once('close', () => {
      unsubscribe();
      clearInterval(bookmarks);
      clearTimeout(limit);
      watches.delete(response);
    });
  }

  const server = createServer(
    options.certificate,
    (request, response) => void handle(request, response),
  );
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    faults,
    requests,
    url: `https://127.0.0.1:${port}`,
    stop: close,
    watches: () => watches.size,
    /** Closes all watches, like a load balancer does. */
    closeWatches: () => {
      for (const response of watches) response.destroy();
    },
    /** Stops the API, while the cluster continues. */
    goAway: close,
    comeBack: () => listen(port),
  };
}
