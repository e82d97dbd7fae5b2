import type { z } from 'zod';

/**
 * Makes a member of a reply optional. `null`, which several services send, is accepted. A value of the wrong type is
 * read as undefined, so that one odd detail doesn't make a run unreadable.
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().catch(undefined);
