/**
 * Reads an argument, which is JSON text in a form and plain JSON in a JSON body. Returns undefined if the text isn't
 * JSON.
 */
export function readArgument(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return { value };
  try {
    return { value: JSON.parse(value) };
  } catch {
    return undefined;
  }
}

/** Returns true if the value is absent, null or empty text, because a form can't tell these apart. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
