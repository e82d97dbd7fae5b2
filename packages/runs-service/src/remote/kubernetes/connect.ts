import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { ExplainedError } from 'base/explained-error';

export type ApiRequest = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  body?: object;
  /** Aborts the request, even while its response is being read. */
  signal: AbortSignal;
};

/** Connection to a cluster. `send` resolves with a response, even if its status is an error. */
export type Connection = {
  namespace: string;
  send(request: ApiRequest): Promise<IncomingMessage>;
};

/**
 * Connects to the cluster of the kubeconfig (one or several files, as in KUBECONFIG). Without a kubeconfig, uses the
 * user's default one or the cluster of this pod. The Kubernetes library only reads the credentials, which can change at
 * any time. Requests don't use the library, because it has no time limits.
 * @throws ExplainedError if the library isn't installed, the kubeconfig can't be read, or there is no cluster
 */
export async function connect(kubeconfig?: string): Promise<Connection> {
  const { KubeConfig } = await loadLibrary();
  const config = new KubeConfig();
  try {
    const [first, ...more] = kubeconfig?.split(delimiter).filter((file) => file !== '') ?? [];
    if (first === undefined) config.loadFromDefault();
    else config.loadFromFile(first);
    for (const file of more) {
      const other = new KubeConfig();
      other.loadFromFile(file);
      config.mergeConfig(other);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(`Can't read the kubeconfig: ${why}`, { cause: error });
  }
  const cluster = config.getCurrentCluster();
  const context = config.getContextObject(config.getCurrentContext());
  // Treat this address as no cluster, because the library returns it when it finds nothing.
  if (!cluster || cluster.server === 'http://localhost:8080')
    throw new ExplainedError(
      'There is no Kubernetes cluster to use. Set KUBECONFIG to a kubeconfig with a current context, or run the service in the cluster.',
    );
  return {
    namespace: context?.namespace ?? 'default',
    send: (request) => send(config, cluster.server, request),
  };
}

async function loadLibrary() {
  try {
    return await import('@kubernetes/client-node');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ExplainedError(
      '"runner: kubernetes" needs the package @kubernetes/client-node, which isn\'t installed. Run npm install @kubernetes/client-node.',
      { cause: error },
    );
  }
}

async function send(
  config: KubeConfig,
  server: string,
  { method, path, query = {}, body, signal }: ApiRequest,
): Promise<IncomingMessage> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { auth, agent } = options;
  const url = new URL(`${server.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...options.headers,
    accept: 'application/json',
    'user-agent': 'slash-agent',
    ...(content !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(content),
    }),
  };
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return await new Promise((resolve, reject) => {
    const request = start(url, { ...options, method, headers, auth, agent, signal });
    request.once('response', resolve).once('error', reject).end(content);
  });
}
