import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { CodeHost } from './code-host.ts';
import { reasonOf, statusOf } from './github-api.ts';
import { type AppTokens, createGithubClient, repositoryOf } from './github-client.ts';

import { pollPullRequest, readPullRequest } from './github-pull-request.ts';

import { mergeRejected } from './host-problem.ts';

/** User name that GitHub expects with a token. */
const tokenUser = 'x-access-token';

export function createGithubHost(plan: PublishPlan, tokens: AppTokens): CodeHost {
  const repository = repositoryOf(plan);
  const { call, newToken } = createGithubClient(plan, tokens);

  return {
    async login(signal) {
      const token = await newToken(signal);
      return token === undefined ? undefined : { user: plan.config.user ?? tokenUser, token };
    },

    find: (branch, signal) =>
      call(signal, async (octokit, request) => {
        const head = `${repository.owner}:${branch}`;
        const wanted = { ...repository, head, state: 'all', per_page: 100, request } as const;
        const { data } = await octokit.pulls.list(wanted);
        // Leave out pull requests from forks, because the repository's owner can also own a fork. If a fork was
        // deleted, `repo` is null, although the types don't allow that.
        const own = data.filter((each) => each.head.repo?.id === each.base.repo.id);
        const newest = own.find(({ state }) => state === 'open') ?? own[0];
        return newest && readPullRequest(newest);
      }),

    open: ({ branch, ...wanted }, signal) =>
      call(signal, async (octokit, request) => {
        const body = { ...repository, ...wanted, head: branch, request };
        try {
          return readPullRequest((await octokit.pulls.create(body)).data);
        } catch (error) {
          const reason = reasonOf(error);
          if (statusOf(error) === 422 && /already exists/i.test(reason)) return 'exists';
          const hasNoDrafts = statusOf(error) === 422 && /draft/i.test(reason) && wanted.draft;
          if (!hasNoDrafts) throw error;
          return readPullRequest((await octokit.pulls.create({ ...body, draft: false })).data);
        }
      }),

    async decorate(number, { reviewers, labels }, signal) {
      const teams = reviewers.filter((name) => name.includes('/'));
      const people = reviewers.filter((name) => !name.includes('/'));
      const failed: string[] = [];
      const attempt = async (what: string, work: Parameters<typeof call>[1]) => {
        try {
          await call(signal, work);
        } catch (error) {
          if (!(error instanceof PublishProblem) || error.isTemporary) throw error;
          failed.push(`Couldn't add ${what}: ${error.message}`);
        }
      };
      const pull = { ...repository, pull_number: number, reviewers: people };
      const team_reviewers = teams.map((name) => name.split('/')[1] ?? name);
      if (reviewers.length > 0)
        await attempt('reviewers', (octokit, request) =>
          octokit.pulls.requestReviewers({ ...pull, team_reviewers, request }),
        );
      if (labels.length > 0)
        await attempt('labels', (octokit, request) =>
          octokit.issues.addLabels({
            ...repository,
            issue_number: number,
            labels: [...labels],
            request,
          }),
        );
      return failed.length > 0 ? failed.join(' ') : undefined;
    },

    poll: (number, seen, signal) => pollPullRequest({ plan, call, signal }, number, seen),

    /** Marks a draft as ready. Uses GraphQL, because the REST API can't do that. */
    markReady: (number, signal) =>
      call(signal, async (octokit, request) => {
        const { data } = await octokit.pulls.get({ ...repository, pull_number: number, request });
        const id = data.node_id;
        if (data.draft) await octokit.graphql(markReadyQuery, { id, request });
      }),

    merge: (number, head, signal) =>
      call(signal, async (octokit, request) => {
        const { data: rules } = await octokit.repos.get({ ...repository, request });
        const wanted = { ...repository, pull_number: number, sha: head, request };
        try {
          await octokit.pulls.merge({ ...wanted, merge_method: methodOf(rules) });
        } catch (error) {
          const isRejected = [405, 422].includes(statusOf(error) ?? 0);
          if (!isRejected) throw error;
          throw mergeRejected('GitHub', reasonOf(error), error);
        }
      }),
  };
}

const markReadyQuery = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

type MergeRules = { allow_merge_commit?: boolean; allow_squash_merge?: boolean };

/** Returns the first merge method that the repository allows, in the order of GitHub's own button. */
function methodOf({ allow_merge_commit: mayMerge, allow_squash_merge: maySquash }: MergeRules) {
  if (mayMerge ?? true) return 'merge';
  return maySquash ? 'squash' : 'rebase';
}
