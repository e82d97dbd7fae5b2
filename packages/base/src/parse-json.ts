/** Max depth of nested JSON, so that recursive functions can't overflow the stack. No program's output needs more. */
const maxDepth = 100;

/**
 * Parses JSON. Returns undefined if the text isn't JSON, or is nested so deeply that handling it could overflow the
 * stack.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, maxDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));
