import type { z } from 'zod';

/**
 * An optional member of a reply. `null`, which several services send, and a value of another type count as absent, so
 * that one odd detail doesn't make a run unreadable.
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().catch(undefined);
