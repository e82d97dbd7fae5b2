import type { z } from 'zod';
import { ApiProblem } from './problem.ts';

/**
 * Reads a JSON body.
 * @throws ApiProblem if it isn't JSON, has another content type or too many elements, or can't be stored
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new ApiProblem(
      'unsupported_media_type',
      'The body must be JSON. Send it with Content-Type: application/json.',
    );
  const text = await readText(request);
  const value = parse(text);
  assertStorable(value);
  return value;
}

/** Reads a body in chunks, so that the process handles other requests in between. Stops early at the limits. */
async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const problemAfter = createJsonBounds();
  let text = '';
  let rejection: ApiProblem | undefined;
  for await (const chunk of request.body ?? []) {
    // Read and drop the rest of a rejected body, because a client that can't finish sending wouldn't read the
    // response.
    if (rejection) continue;
    const problem = problemAfter(chunk);
    const decoded = decode(() => decoder.decode(chunk, { stream: true }));
    if (problem !== undefined) rejection = new ApiProblem('invalid_request', problem);
    else if (decoded === undefined) rejection = notText;
    else text += decoded;
  }
  const end = decode(() => decoder.decode());
  if (rejection) throw rejection;
  if (end === undefined) throw notText;
  return text + end;
}

const notText = new ApiProblem(
  'invalid_request',
  "The body isn't valid UTF-8. Check its encoding.",
);

function decode(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem('invalid_request', "The body isn't valid JSON. Check its syntax.");
  }
}

/**
 * Rejects NUL characters in names and values, because they can't be stored. Recursion is safe, because the depth is
 * limited.
 */
function assertStorable(value: unknown): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw new ApiProblem(
      'cannot_be_processed',
      "The request contains a NUL character, which can't be stored. Remove it.",
    );
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) {
      assertStorable(name);
      assertStorable(part);
    }
}

/**
 * Checks a body against a schema.
 * @throws ApiProblem that names the invalid members; its status is 422 if all of them are only too long
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const { issues } = read.error;
  const isOnlySize = issues.every(({ code }) => code === 'too_big');
  throw new ApiProblem(
    isOnlySize ? 'cannot_be_processed' : 'invalid_request',
    issues.slice(0, maxNamed).flatMap(describe).join('; '),
  );
}

/** Max number of mistakes that a response lists, because a body can have thousands. */
const maxNamed = 10;

function describe(issue: z.core.$ZodIssue): string[] {
  const path = (...more: string[]) =>
    [...issue.path, ...more].map((part) => String(part).slice(0, 100)).join('.') || 'body';
  if (issue.code !== 'unrecognized_keys') return [`${path()}: ${issue.message}`];
  return issue.keys
    .slice(0, maxNamed)
    .map((key) => `${path(key)}: isn't supported by this service`);
}

/**
 * Rejects unknown query parameters, because ignoring a filter would return more runs than requested.
 * @throws ApiProblem that names the parameter
 */
export function assertSupported(
  parameters: URLSearchParams,
  isKnown: (name: string) => boolean,
  canRepeat: (name: string) => boolean = () => false,
): void {
  for (const [name, value] of parameters) {
    const reject = (why: string): never => {
      throw new ApiProblem('invalid_request', `${name.slice(0, 100)}: ${why}`);
    };
    if (`${name}${value}`.includes('\0')) reject('contains a NUL character');
    if (!isKnown(name)) reject("isn't supported by this service");
    if (!canRepeat(name) && parameters.getAll(name).length > 1) reject('is given more than once');
  }
}

/**
 * Max number of JSON elements in a body. 100 MCP servers with ten variables each use a third of that. Checking one
 * element takes up to 7 µs.
 */
const maxElements = 10_000;
/** Max number of nested levels in a body, which keeps recursion safe. No request needs as many. */
const maxDepth = 100;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Creates a function that counts elements and levels of JSON while its bytes arrive. Parsing millions of them would
 * block all other requests. Strings are cheap to parse, so only the body size limits them.
 * @returns a function that accepts the next bytes, and returns a problem if there is one
 */
export function createJsonBounds(): (bytes: Uint8Array) => string | undefined {
  let isInString = false;
  let isEscaped = false;
  let elements = 0;
  let depth = 0;

  function takeInString(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) isInString = false;
  }

  function takeOutside(byte: number): void {
    if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon) elements += 1;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      elements += 1;
      depth += 1;
    }
  }

  return (bytes) => {
    for (const byte of bytes) {
      if (isInString) takeInString(byte);
      else takeOutside(byte);
      if (depth > maxDepth)
        return `The body is nested more than ${maxDepth} levels deep. Send a flatter one.`;
      if (elements > maxElements)
        return `The body has more than ${maxElements} elements. Send a smaller one.`;
    }
    return undefined;
  };
}
