import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { expect, onTestFinished } from 'vitest';

type Parameter = { name: string; in: string; required?: boolean; schema: object };
type Operation = { parameters: Parameter[]; requestBody?: object; statuses: string[] };
const { paths } = JSON.parse(readFileSync(new URL('github-api.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const ajv = new Ajv({ strict: false, coerceTypes: true, validateFormats: false });

export type Pull = {
  number: number;
  html_url: string;
  state: string;
  draft: boolean;
  merged_at: string | null;
  title: string;
  body: string;
  head: { ref: string; sha: string };
  base: { ref: string };
};

type Refusal = { status: number; body?: object; headers?: Record<string, string> };

/** GitHub's API as its OpenAPI description has it: requests that don't match it fail the test. */
export async function startGithubServer() {
  const pulls: Pull[] = [];
  const asked: { reviewers: string[]; labels: string[] } = { reviewers: [], labels: [] };
  const seen: string[] = [];
  const mistakes: string[] = [];
  /** The answer to the next requests whose `METHOD path` contains the key, until it's deleted. */
  const refusals = new Map<string, Refusal>();
  const gate: {
    before?: (what: string) => Promise<void>;
    after?: (what: string) => Promise<void>;
  } = {};

  const routes: [
    RegExp,
    (match: RegExpExecArray, body: unknown, query: URLSearchParams) => unknown,
  ][] = [
    [
      /^GET \/repos\/acme\/app\/pulls$/,
      (_, __, query) =>
        pulls
          .filter(({ head }) => query.get('head') === `acme:${head.ref}`)
          .filter(({ state }) => [state, 'all'].includes(query.get('state') ?? 'open'))
          .toReversed(),
    ],
    [/^GET \/repos\/acme\/app\/pulls\/(\d+)$/, ([, number]) => pulls[Number(number) - 1]],
    [
      /^POST \/repos\/acme\/app\/pulls$/,
      (_, body) => {
        const wanted = body as {
          title: string;
          body: string;
          head: string;
          base: string;
          draft?: boolean;
        };
        const isOpen = pulls.some(
          ({ head, state }) => head.ref === wanted.head && state === 'open',
        );
        if (isOpen) return refuse(422, `A pull request already exists for acme:${wanted.head}.`);
        const number = pulls.length + 1;
        const pull = {
          ...{ number, html_url: `https://github.test/acme/app/pull/${number}`, state: 'open' },
          ...{
            draft: wanted.draft ?? false,
            merged_at: null,
            title: wanted.title,
            body: wanted.body,
          },
          ...{ head: { ref: wanted.head, sha: '' }, base: { ref: wanted.base } },
        };
        pulls.push(pull);
        return { status: 201, body: pull };
      },
    ],
    [
      /^POST .*\/requested_reviewers$/,
      (_, body) => {
        asked.reviewers = (body as { reviewers: string[] }).reviewers;
        return { status: 201, body: pulls.at(-1) };
      },
    ],
    [
      /^POST .*\/labels$/,
      (_, body) => {
        asked.labels = (body as { labels: string[] }).labels;
        return [];
      },
    ],
  ];
  const refuse = (status: number, message: string) => ({
    status,
    body: { message: 'Validation Failed', errors: [{ message }] },
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://github');
    const what = `${request.method} ${pathname}`;
    seen.push(what);
    const sent = await text(request);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    mistakes.push(...mistakesIn(request.method ?? '', pathname, searchParams, body));
    const refusal = [...refusals].find(([part]) => what.includes(part))?.[1];
    await gate.before?.(what);
    const result = refusal ?? find(what, body, searchParams);
    await gate.after?.(what);
    const { status = 200, headers = {} } = result as Refusal;
    const content = 'status' in (result as object) ? (result as Refusal).body : result;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(content ?? { message: 'No' }));
  }

  function find(what: string, body: unknown, query: URLSearchParams): object {
    for (const [pattern, handle] of routes) {
      const match = pattern.exec(what);
      if (match) return (handle(match, body, query) ?? { status: 404 }) as object;
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
  return { apiUrl: `http://127.0.0.1:${port}`, pulls, asked, seen, refusals, gate };
}

/** Where a request isn't as the description has it. */
function mistakesIn(method: string, path: string, query: URLSearchParams, body: unknown): string[] {
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
