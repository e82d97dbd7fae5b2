import { LRUCache } from 'lru-cache';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { CodeHost } from './code-host.ts';
import { createGithubHost } from './github-host.ts';
import { createGitlabHost } from './gitlab-host.ts';
import { readLogin } from './publish-login.ts';

/** Creates the code host for a plain git server, which has no pull requests. */
function createPlainHost({ config }: PublishPlan): CodeHost {
  const none = () => {
    throw new PublishProblem('The server of this repository has no pull requests.');
  };
  return {
    login: () => readLogin(config, 'git'),
    find: none,
    open: none,
    decorate: none,
    poll: none,
    markReady: none,
    merge: none,
  };
}

export type CodeHosts = (plan: PublishPlan) => CodeHost;

const maxTokens = 1_000;

/**
 * Creates a function that returns the code host for a publishing plan. The code hosts share a cache of GitHub App
 * tokens.
 */
export function createCodeHosts(): CodeHosts {
  const tokens = new LRUCache<string, string>({ max: maxTokens });
  return (plan) => {
    switch (plan.kind) {
      case 'github':
        return createGithubHost(plan, tokens);
      case 'gitlab':
        return createGitlabHost(plan);
      case 'git':
        return createPlainHost(plan);
    }
  };
}
