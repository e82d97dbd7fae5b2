import { parseJson } from 'base/parse-json';
import type { Member } from './members-scanner.ts';

const wanted = '{"include_usage":true}';

/**
 * Adds `stream_options.include_usage` to the body of a Chat Completions stream, because the response otherwise has no
 * usage. Returns undefined if the agent has requested it.
 * @param options the member `stream_options`
 */
export function withIncludedUsage(
  chunks: readonly Buffer[],
  options: Member | undefined,
): Buffer[] | undefined {
  if (!options) return insertMember(chunks);
  const given = parseJson(options.value.toString());
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (isObject && 'include_usage' in given && given.include_usage === true) return undefined;
  const merged = isObject ? JSON.stringify({ ...given, include_usage: true }) : wanted;
  const { start, end } = options;
  return [...cut(chunks, 0, start), Buffer.from(merged), ...cut(chunks, end, undefined)];
}

/** Inserts the member after the first brace. The object isn't empty, because it has a model. */
function insertMember(chunks: readonly Buffer[]): Buffer[] {
  const at = 1 + braceIn(chunks);
  const member = Buffer.from(`"stream_options":${wanted},`);
  return [...cut(chunks, 0, at), member, ...cut(chunks, at, undefined)];
}

function braceIn(chunks: readonly Buffer[]): number {
  let position = 0;
  for (const chunk of chunks) {
    const at = chunk.indexOf('{');
    if (at !== -1) return position + at;
    position += chunk.length;
  }
  return position;
}

export function cut(chunks: readonly Buffer[], start: number, end: number | undefined): Buffer[] {
  let position = 0;
  return chunks.flatMap((chunk) => {
    const from = position;
    position += chunk.length;
    const part = chunk.subarray(
      Math.max(0, start - from),
      end === undefined ? undefined : Math.max(0, end - from),
    );
    return part.length > 0 ? [part] : [];
  });
}
