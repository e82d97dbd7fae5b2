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

/** GitHub, GitLab or a plain git server. Every failure is a `PublishProblem`. */
export type CodeHost = {
  /** Returns the login for git over HTTP. Undefined if there is no token. */
  login(signal: AbortSignal): Promise<Login | undefined>;
  /** The pull request of a branch of the same repository, an open one first. */
  find(branch: string, signal: AbortSignal): Promise<PullRequest | undefined>;
  /** Opens a pull request. Returns 'exists' if the branch has an open one, because the server rejects a second one. */
  open(wanted: NewPullRequest, signal: AbortSignal): Promise<PullRequest | 'exists'>;
  /** Adds reviewers and labels. Can be repeated. Returns a note to people if some couldn't be added. */
  decorate(
    number: number,
    wanted: { reviewers: readonly string[]; labels: readonly string[] },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Reads the pull request again. What hasn't changed since `seen` costs nothing of the host's limits. */
  poll(number: number, seen: Seen, signal: AbortSignal): Promise<PullRequestPoll>;
  markReady(number: number, signal: AbortSignal): Promise<void>;
  /** Merges only if the newest commit still is `head`, so no one merges commits that they haven't seen. */
  merge(number: number, head: string, signal: AbortSignal): Promise<void>;
};

export type PullRequestPoll = { pullRequest: PullRequest; seen: Seen };

type Answer = { etag: string | undefined; data: unknown };

/** Reads deps of a pull request, each with the ETag of the answer before. */
export function createReader(before: Seen) {
  const seen: Seen = {};

  /** @param ask resolves with undefined if nothing changed since the answer with this ETag */
  async function read<T>(
    key: string,
    schema: z.ZodType<T>,
    ask: (etag: string | undefined) => Promise<Answer | undefined>,
  ): Promise<T> {
    const earlier = before[key];
    // Another version of this program may have stored it.
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
    /** Reads data that the token may have no access to. A temporary failure is thrown. */
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
