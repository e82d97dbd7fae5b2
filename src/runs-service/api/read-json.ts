import { ApiProblem } from './problem.ts';

/** More than any request needs, and safe for recursion. */
const maxDepth = 100;

/** @throws ApiProblem if the body isn't JSON, has another content type, or can't be stored */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new ApiProblem(
      'unsupported_media_type',
      'The body must be JSON. Send it with Content-Type: application/json.',
    );
  const value = parse(decode(await request.arrayBuffer()));
  assertStorable(value);
  return value;
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiProblem('invalid_request', "The body isn't valid UTF-8. Check its encoding.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem('invalid_request', "The body isn't valid JSON. Check its syntax.");
  }
}

function assertStorable(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new ApiProblem(
        'invalid_request',
        `The body is nested more than ${maxDepth} levels deep. Send a flatter one.`,
      );
    if (level.some((each) => typeof each === 'string' && each.includes('\0')))
      throw new ApiProblem(
        'cannot_be_processed',
        "The request contains a NUL character, which can't be stored. Remove it.",
      );
    level = level.flatMap(partsOf);
  }
}

/** Includes member names, because they're stored too. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.entries(value).flat() : [];
}
