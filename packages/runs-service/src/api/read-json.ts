import { createJsonBounds } from './json-bounds.ts';
import { ApiProblem } from './problem.ts';

/** @throws ApiProblem if the body isn't JSON, has another content type or too many elements, or can't be stored */
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

/** Other requests are handled between the chunks, and before the whole text is parsed. */
async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const problemAfter = createJsonBounds();
  let text = '';
  let refusal: ApiProblem | undefined;
  for await (const chunk of request.body ?? []) {
    // The rest is dropped, but read: a sender that can't finish wouldn't get the answer.
    if (refusal) continue;
    const problem = problemAfter(chunk);
    const decoded = decode(() => decoder.decode(chunk, { stream: true }));
    if (problem !== undefined) refusal = new ApiProblem('invalid_request', problem);
    else if (decoded === undefined) refusal = notText;
    else text += decoded;
  }
  const end = decode(() => decoder.decode());
  if (refusal) throw refusal;
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

/** Member names are stored too. The depth is limited, so recursion is safe. */
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
