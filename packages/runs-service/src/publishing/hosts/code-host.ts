import type { z } from 'zod';
import type { Login } from '../../execution/git/git.ts';
import type { PullRequest, Seen } from '../../store/publication.ts';

import { PublishProblem } from '../publish-problem.ts';

type NewPullRequest = {
  branch: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
};

/**
 * Functions of a code host: GitHub, GitLab or a plain git server. Each of them throws a `PublishProblem` on failure.
 */
export type CodeHost = {
  /** Returns the login for git over HTTP. Undefined if there is no token. */
  login(signal: AbortSignal): Promise<Login | undefined>;
  /** Finds the pull request of a branch, but not one from a fork. Prefers an open pull request. */
  find(branch: string, signal: AbortSignal): Promise<PullRequest | undefined>;
  /** Opens a pull request. Returns 'exists' if the branch already has an open one. */
  open(wanted: NewPullRequest, signal: AbortSignal): Promise<PullRequest | 'exists'>;
  /** Adds reviewers and labels. Can be repeated. Returns a remark for people if some couldn't be added. */
  decorate(
    number: number,
    wanted: { reviewers: readonly string[]; labels: readonly string[] },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /**
   * Reads the pull request's current state. Parts that didn't change since the last poll don't use up the host's rate
   * limit.
   */
  poll(number: number, seen: Seen, signal: AbortSignal): Promise<PullRequestPoll>;
  markReady(number: number, signal: AbortSignal): Promise<void>;
  /** Merges if the newest commit is still `head`, so that no one merges commits that they haven't seen. */
  merge(number: number, head: string, signal: AbortSignal): Promise<void>;
};

export type PullRequestPoll = { pullRequest: PullRequest; seen: Seen };

type Answer = { etag: string | undefined; data: unknown };

/**
 * Creates a reader for the resources of a pull request. Each resource is requested with the ETag of its last response.
 */
export function createReader(before: Seen) {
  const seen: Seen = {};

  /**
   * Reads a resource of the pull request. Returns the stored value if the resource didn't change.
   * @param ask requests the resource with this ETag, and resolves with undefined if it didn't change
   */
  async function read<T>(
    key: string,
    schema: z.ZodType<T>,
    ask: (etag: string | undefined) => Promise<Answer | undefined>,
  ): Promise<T> {
    const earlier = before[key];
    // Check the stored value, because another version of this program may have written it.
    const value = earlier && schema.safeParse(earlier.value);
    const answer = await ask(value?.success ? earlier?.etag : undefined);
    if (!answer && earlier && value?.success) {
      seen[key] = earlier;
      return value.data;
    }
    const data = schema.parse(answer?.data);
    if (answer?.etag !== undefined) seen[key] = { etag: answer.etag, value: data };
    return data;
  }

  return {
    seen,
    read,
    /** Reads a resource. Returns undefined if the token has no access to it. Throws if the failure is temporary. */
    readIfAllowed: async <T>(...args: Parameters<typeof read<T>>): Promise<T | undefined> => {
      try {
        return await read(...args);
      } catch (error) {
        if (error instanceof PublishProblem && !error.isTemporary) return undefined;
        throw error;
      }
    },
  };
}
