import { parseJson } from 'base/parse-json';
import type { z } from 'zod';

/** Another version of the app opened this view, and its metadata is unreadable. */
export class OutdatedViewError extends Error {
  override name = 'OutdatedViewError';
  /** Bolt wraps errors without a code. */
  readonly code = 'outdated_view';
}

/**
 * Reads the `private_metadata` of one of the app's views.
 * @throws OutdatedViewError
 */
export function readViewMetadata<T>(
  schema: z.ZodType<T>,
  { private_metadata: text }: { private_metadata: string },
): T {
  const { data, success } = schema.safeParse(parseJson(text));
  if (!success) throw new OutdatedViewError("The private_metadata of a view can't be read");
  return data;
}
