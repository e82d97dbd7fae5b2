import type { z } from 'zod';

/** A view that was opened by another version of the app: what it carries can't be read. */
export class OutdatedViewError extends Error {
  override name = 'OutdatedViewError';
  /** Bolt wraps errors without a code. */
  readonly code = 'outdated_view';
}

/**
 * What a view of ours carries in its `private_metadata`.
 * @throws OutdatedViewError
 */
export function readViewMetadata<T>(
  schema: z.ZodType<T>,
  { private_metadata: text }: { private_metadata: string },
): T {
  const { data, success } = schema.safeParse(parse(text));
  if (!success) throw new OutdatedViewError('the private_metadata of a view can’t be read');
  return data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
