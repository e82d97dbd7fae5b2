import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { expect, onTestFinished } from 'vitest';

type Parameter = { name: string; in: string; required?: boolean; schema: object };
type Operation = { parameters: Parameter[]; requestBody?: object; statuses: string[] };
type Paths = Record<string, Record<string, Operation>>;

export type Reply = { status: number; body?: unknown; headers?: Record<string, string> };
/** Route with a handler, which returns a reply, or an object as the body of one. */
export type Route = [
  pattern: RegExp,
  handle: (match: RegExpExecArray, body: unknown, query: URLSearchParams) => unknown,
];

const ajv = new Ajv({ strict: false, coerceTypes: true, validateFormats: false });

export type ApiServerOptions = {
  /** File with the operations of the host's OpenAPI description that publishing uses. */
  description: string;
  /** Prefix of all paths in the description. */
  prefix?: string;
  routes: readonly Route[];
  /** Rejects a token. Returns undefined for an accepted one. */
  rejectToken: (headers: IncomingMessage['headers'], path: string) => Reply | undefined;
};

/** Starts the API of a code host, according to its OpenAPI description. Requests that don't match it fail the test. */
export async function startApiServer(options: ApiServerOptions) {
  const { prefix = '', routes } = options;
  const file = new URL(options.description, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Paths };
  /** Every request, and those that count toward a rate limit. Unchanged answers don't. */
  const [seen, counted]: string[][] = [[], []];
  const mistakes: string[] = [];
  /** Replies to all requests whose `METHOD path` contains the key, until it's deleted. */
  const rejections = new Map<string, Reply>();
  const gate: {
    before?: (what: string) => Promise<void>;
    /** Called after the request had its effect. If it returns `lost`, no answer is sent. */
    after?: (what: string) => Promise<unknown>;
  } = {};

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host');
    const path = pathname.slice(prefix.length);
    const what = `${request.method} ${path}`;
    seen?.push(what);
    const sent = await text(request);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    mistakes.push(...mistakesIn(paths, request.method ?? '', path, searchParams, body));
    const rejection = [...rejections].find(([part]) => what.includes(part))?.[1];
    await gate.before?.(what);
    const {
      status,
      headers,
      body: content,
    } = rejection ?? options.rejectToken(request.headers, path) ?? find(what, body, searchParams);
    if ((await gate.after?.(what)) === 'lost') {
      request.socket.destroy();
      return;
    }
    const json = JSON.stringify(content ?? { message: 'No' });
    const etag = `W/"${createHash('sha256').update(json).digest('hex')}"`;
    if (status === 200 && request.method === 'GET' && request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    counted?.push(what);
    response.writeHead(status, { 'content-type': 'application/json', etag, ...headers }).end(json);
  }

  function find(what: string, body: unknown, query: URLSearchParams): Reply {
    for (const [pattern, handle] of routes) {
      const match = pattern.exec(what);
      const result = match && handle(match, body, query);
      if (result) return isReply(result) ? result : { status: 200, body: result };
    }
    return { status: 404, body: { message: 'Not Found' } };
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    expect(mistakes).toEqual([]);
  });
  const { port } = server.address() as AddressInfo;
  const apiUrl = `http://127.0.0.1:${port}${prefix}`;
  return { apiUrl, seen: seen ?? [], counted: counted ?? [], rejections, gate };
}

const isReply = (result: unknown): result is Reply =>
  typeof (result as Partial<Reply>).status === 'number';

/** Lists the differences between a request and the description. */
function mistakesIn(
  paths: Paths,
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): string[] {
  const found = Object.entries(paths).flatMap(([template, methods]) => {
    const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    return pattern.test(path) ? [methods[method.toLowerCase()]] : [];
  });
  const [operation] = found.filter((each) => each !== undefined);
  if (!operation) return [`${method} ${path} isn't described`];
  const known = operation.parameters.filter((parameter) => parameter.in === 'query');
  const unknown = [...query.keys()].filter((key) => !known.some(({ name }) => name === key));
  const wrong = known.filter(
    ({ name, schema }) => query.has(name) && !ajv.validate(schema, query.get(name)),
  );
  const isBodyWrong = operation.requestBody && !ajv.validate(operation.requestBody, body);
  return [
    ...[...unknown, ...wrong.map(({ name }) => name)].map((name) => `${method} ${path}: ${name}`),
    ...(isBodyWrong ? [`${method} ${path}: ${ajv.errorsText()}`] : []),
  ];
}
