import { ApiProblem } from './problem.ts';

/** Far more than any request needs; what walks through a value by recursion is safe with it. */
const maxDepth = 100;

/** @throws ApiProblem when the body isn't JSON, doesn't say that it is, or holds what can't be stored */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new ApiProblem(
      'unsupported_media_type',
      'The body must be JSON, sent with Content-Type: application/json.',
    );
  const value = parse(decode(await request.arrayBuffer()));
  assertStorable(value);
  return value;
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiProblem('invalid_request', 'The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem('invalid_request', 'The body is not valid JSON.');
  }
}

function assertStorable(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new ApiProblem('invalid_request', `The body nests more than ${maxDepth} levels.`);
    if (level.some((each) => typeof each === 'string' && each.includes('\0')))
      throw new ApiProblem(
        'cannot_be_processed',
        'The request has a NUL character, which cannot be stored or passed to a command.',
      );
    level = level.flatMap(partsOf);
  }
}

/** Names of members count as parts: they are stored too. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.entries(value).flat() : [];
}
