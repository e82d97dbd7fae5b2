import { Octokit } from '@octokit/rest';

const nothing = () => undefined;
/** Octokit prints every refused request, also an answer that nothing changed. What matters is in our log. */
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

type Options = {
  baseUrl: string;
  auth?: string;
  request?: { signal: AbortSignal };
};

export const createOctokit = (options: Options): Octokit => new Octokit({ ...options, log });
