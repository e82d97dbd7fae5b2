/** A value that a form-encoded call carries as JSON text and a JSON call carries as it is. */
export function readArgument(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return { value };
  try {
    return { value: JSON.parse(value) };
  } catch {
    return undefined;
  }
}

/** Absent in Slack's sense: not given, null, or an empty text, which a form cannot tell from nothing. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
