import type { z } from 'zod';
import type { Seen } from '../../store/publication.ts';
import { PublishProblem } from '../publish-problem.ts';

type Answer = { etag: string | undefined; data: unknown };

/** Reads parts of a pull request, each with the ETag of the answer before. */
export function createReader(before: Seen) {
  const seen: Seen = {};

  /** @param ask resolves with undefined if nothing changed since the answer with this ETag */
  async function read<T>(
    key: string,
    schema: z.ZodType<T>,
    ask: (etag: string | undefined) => Promise<Answer | undefined>,
  ): Promise<T> {
    const known = before[key];
    // Another version of this program may have stored it.
    const value = known && schema.safeParse(known.value);
    const answer = await ask(value?.success ? known?.etag : undefined);
    if (!answer && known && value?.success) {
      seen[key] = known;
      return value.data;
    }
    const data = schema.parse(answer?.data);
    if (answer?.etag !== undefined) seen[key] = { etag: answer.etag, value: data };
    return data;
  }

  return {
    seen,
    read,
    /** For what a token needn't have access to. Trouble that passes isn't an answer. */
    readIfAllowed: async <T>(...args: Parameters<typeof read<T>>): Promise<T | undefined> => {
      try {
        return await read(...args);
      } catch (error) {
        if (error instanceof PublishProblem && !error.mayPass) return undefined;
        throw error;
      }
    },
  };
}
