import type { Problem } from '../contract.ts';
import { RunsApiError, type RunsApiErrorCode } from '../runs-api-error.ts';
import type { HttpReply, ReplyHeaders } from './exchange.ts';

const codes: Readonly<Record<number, RunsApiErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  402: 'budget_exceeded',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'unprocessable',
  429: 'rate_limited',
};

function codeOfStatus(status: number): RunsApiErrorCode {
  if (status >= 500) return 'server_error';
  if (status < 400) return 'bad_response';
  return codes[status] ?? 'client_error';
}

const nextSteps: Partial<Record<RunsApiErrorCode, string>> = {
  unauthorized: 'check the API key',
  forbidden: "the API key isn't allowed to do this",
  not_found: 'check the id and the base URL',
  rate_limited: 'wait and try again',
  bad_response: "redirects aren't followed: use the final base URL",
};

const lacksVersion = 'the base URL has no version segment; it ends in /api/v1';

/** Returns true if the same request may succeed later. 501 and 505 are permanent. */
function isPassing(status: number): boolean {
  if (status === 408 || status === 409 || status === 429) return true;
  return status >= 500 && status !== 501 && status !== 505;
}

/**
 * Creates the error for a reply that isn't a success. `secrets` are texts of the request (the key, the prompt) that a
 * service may echo. They must not appear in errors, because errors are logged.
 */
export async function readFailure(
  call: string,
  reply: HttpReply<Buffer>,
  secrets: readonly string[],
  hasVersion: boolean,
): Promise<RunsApiError> {
  const problem = await readProblem(reply.body, secrets);
  const code = codeOfStatus(reply.status);
  const said = problem?.detail ?? problem?.error ?? problem?.title;
  const next = reply.status === 404 && !hasVersion ? lacksVersion : nextSteps[code];
  return new RunsApiError({
    code,
    message: withNextStep(
      [`${call} failed with ${reply.status}`, said ?? describeBody(reply)]
        .filter(Boolean)
        .join(': '),
      next,
    ),
    status: reply.status,
    problem,
    retryable: problem?.retryable ?? isPassing(reply.status),
    retryAfterMs: readRetryAfterMs(reply.headers, Date.now()),
    requestId: readRequestId(reply.headers) ?? problem?.trace_id,
    authUrl: readLink(problem?.auth_url),
  });
}

/**
 * Appends the next step to an error message. If the service's message ends as a sentence, the next step is also a
 * sentence.
 */
function withNextStep(message: string, next: string | undefined): string {
  if (next === undefined) return message;
  if (!/[.!?]$/.test(message)) return `${message}: ${next}`;
  return `${message} ${next.charAt(0).toUpperCase()}${next.slice(1)}.`;
}

/** Returns a URL if it's a web link, so that people can open it safely. */
function readLink(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}

export function readRequestId(headers: ReplyHeaders): string | undefined {
  const id = headers['x-request-id'] ?? headers['request-id'];
  return typeof id === 'string' && id !== '' ? id.slice(0, 200) : undefined;
}

async function readProblem(body: Buffer, secrets: readonly string[]): Promise<Problem | undefined> {
  if (body.length > 100_000) return undefined;
  const { problemSchema } = await import('../contract.ts');
  try {
    const text = JSON.stringify(JSON.parse(body.toString('utf8')), (_, value) =>
      typeof value === 'string' ? cut(redact(value, secrets)) : value,
    );
    return problemSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const textLimit = 500;

const cut = (text: string) => (text.length > textLimit ? `${text.slice(0, textLimit - 1)}…` : text);

function describeBody(reply: HttpReply<Buffer>): string {
  if (reply.body.length === 0) return 'with an empty body';
  const type = String(reply.headers['content-type'] ?? 'a body without a content type').split(
    ';',
  )[0];
  return `with ${type} instead of problem details (a proxy may have answered)`;
}

/** Longest requested wait that is accepted, in ms. If a service requests more, such as a year, that is a mistake. */
const longestMs = 24 * 60 * 60_000;

/** Returns the wait that the service requests, in ms: `retry-after-ms`, else `Retry-After` in seconds or as a date. */
export function readRetryAfterMs(headers: ReplyHeaders, nowMs: number): number | undefined {
  const ms = readNumber(headers['retry-after-ms']);
  if (ms !== undefined) return bound(ms);
  const value = headers['retry-after'];
  const seconds = readNumber(value);
  if (seconds !== undefined) return bound(seconds * 1000);
  // Accept HTTP dates only, because `Date.parse` reads "-5" as a month.
  if (typeof value !== 'string' || !/^[A-Z][a-z]+,? /.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : bound(atMs - nowMs);
}

function readNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function bound(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), longestMs);
}

/** Min length of redacted texts. Shorter ones would match parts of ordinary words. */
const shortest = 8;

/**
 * Returns the texts of a request that a service may echo: the key, prompts, messages and the MCP server configuration.
 * They must not appear in errors, because errors are logged.
 */
export function secretTexts(body: unknown, key: string): string[] {
  const texts = [key];
  for (const [name, value] of membersOf(body)) {
    if (typeof value === 'string') texts.push(value);
    if (name !== 'config') continue;
    for (const [inner, each] of membersOf(value)) {
      if (inner === 'base_prompt' || inner === 'mcp_servers') texts.push(...stringsIn(each));
    }
  }
  // Include the texts in their JSON form, because the service may quote its echo as JSON.
  const escaped = texts.map((text) => JSON.stringify(text).slice(1, -1));
  return [...new Set([...texts, ...escaped])].filter((text) => text.length >= shortest);
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return membersOf(value).flatMap(([, each]) => stringsIn(each));
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
