import type { z } from 'zod';

/**
 * Makes a member of a response optional. Accepts `null`, which several services send. A value of the wrong type becomes
 * undefined, so that one odd detail doesn't make a run unreadable.
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().catch(undefined);
