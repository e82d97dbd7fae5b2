import { z } from 'zod';
import type { PublishPlan } from '../publish-plan.ts';
import type { CodeHost } from './code-host.ts';
import { createGitlabCall, mergeRequestsOf } from './gitlab-client.ts';
import {
  isFromFork,
  mergeRequestSchema,
  pollMergeRequest,
  readMergeRequest,
} from './gitlab-merge-request.ts';
import { mergeRejected } from './host-problem.ts';
import { readLogin } from './publish-login.ts';

export function createGitlabHost(plan: PublishPlan): CodeHost {
  const requests = mergeRequestsOf(plan);
  const call = createGitlabCall(plan);

  /** Finds the user IDs of reviewers, because GitLab doesn't accept names. */
  async function reviewerIds(names: readonly string[], signal: AbortSignal): Promise<number[]> {
    const ids = await Promise.all(
      names.map(async (name) => {
        const path = `/users?username=${encodeURIComponent(name)}`;
        const { data } = await call({ path }, signal);
        return z.array(z.object({ id: z.number() })).parse(data)[0]?.id;
      }),
    );
    return ids.filter((id) => id !== undefined);
  }

  return {
    login: () => readLogin(plan.config, 'oauth2'),

    async find(branch, signal) {
      const query = new URLSearchParams({ source_branch: branch, state: 'all', per_page: '100' });
      const { data } = await call({ path: `${requests}?${query}` }, signal);
      const found = z
        .array(mergeRequestSchema)
        .parse(data)
        .filter((each) => !isFromFork(each));
      const newest = found.find(({ state }) => state === 'opened') ?? found[0];
      return newest && readMergeRequest(newest);
    },

    async open({ branch, base: target, title, body, draft }, signal) {
      const wanted = {
        source_branch: branch,
        target_branch: target,
        description: body,
        title: draft ? `Draft: ${title}` : title,
      };
      const post = { method: 'POST', path: requests, body: wanted, expected: [409] } as const;
      const { status, data } = await call(post, signal);
      return status === 409 ? 'exists' : readMergeRequest(data);
    },

    async decorate(number, { reviewers, labels }, signal) {
      if (reviewers.length + labels.length === 0) return undefined;
      const ids = await reviewerIds(reviewers, signal);
      const body = {
        ...(ids.length > 0 && { reviewer_ids: ids }),
        ...(labels.length > 0 && { add_labels: labels }),
      };
      await call({ method: 'PUT', path: `${requests}/${number}`, body }, signal);
      return ids.length < reviewers.length
        ? "Couldn't add all reviewers, because GitLab doesn't know some of these names."
        : undefined;
    },

    poll: (number, seen, signal) => pollMergeRequest({ plan, call, signal }, number, seen),

    /** Marks a draft as ready by removing the draft prefix from its title. */
    async markReady(number, signal) {
      const path = `${requests}/${number}`;
      const { title } = mergeRequestSchema.parse((await call({ path }, signal)).data);
      const ready = title.replace(/^(\s*(draft:|\[draft\]|\(draft\)))+\s*/i, '');
      await call({ method: 'PUT', path, body: { title: ready } }, signal);
    },

    async merge(number, head, signal) {
      const path = `${requests}/${number}/merge`;
      const put = { method: 'PUT', path, body: { sha: head } } as const;
      const { status, reason } = await call({ ...put, expected: [401, 405, 406, 422] }, signal);
      // Report a missing permission for 401, because a wrong token would have been rejected earlier.
      if (status === 401) throw mergeRejected('GitLab', "The token's user can't merge here.");
      if (status >= 400) throw mergeRejected('GitLab', reason);
    },
  };
}
