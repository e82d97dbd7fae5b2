import type { Octokit } from '@octokit/rest';

import { z } from 'zod';
import type { PullRequest, Seen } from '../../store/publication.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { createReader, type PullRequestPoll } from './code-host.ts';
import { statusOf } from './github-api.ts';
import { type GithubCall, repositoryOf } from './github-client.ts';

/** Schema of the fields that all responses with a pull request have: lists, single reads and creations. */
const pullRequestSchema = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.string(),
  draft: z.boolean().optional(),
  merged_at: z.string().nullable(),
  title: z.string(),
  head: z.object({ sha: z.string() }),
});
type PullRequestAnswer = z.infer<typeof pullRequestSchema>;

export function readPullRequest(answer: unknown): PullRequest {
  const read = pullRequestSchema.parse(answer);
  const { number, html_url: url, title, head } = read;
  return { number, url, title, state: stateOf(read), head: head.sha };
}

function stateOf({ merged_at, state, draft }: PullRequestAnswer): PullRequest['state'] {
  if (merged_at !== null) return 'merged';
  if (state !== 'open') return 'closed';
  return draft ? 'draft' : 'open';
}

const detailsSchema = pullRequestSchema.extend({
  mergeable_state: z.string().optional(),
  requested_reviewers: z.array(z.unknown()).nullish(),
  requested_teams: z.array(z.unknown()).nullish(),
});
const checkRunsSchema = z.object({
  total_count: z.number(),
  check_runs: z.array(z.object({ status: z.string(), conclusion: z.string().nullable() })),
});
const statusSchema = z.object({ state: z.string(), total_count: z.number() });
const reviewsSchema = z.array(
  z.object({
    state: z.string(),
    user: z.object({ id: z.number() }).nullable(),
    author_association: z.string(),
  }),
);

type PollDeps = { plan: PublishPlan; call: GithubCall; signal: AbortSignal };

/**
 * Reads state, checks and reviews in four requests. While nothing changes, they don't count toward GitHub's rate limit.
 */
export async function pollPullRequest(
  { plan, call, signal }: PollDeps,
  pull_number: number,
  before: Seen,
): Promise<PullRequestPoll> {
  const repository = repositoryOf(plan);
  const { seen, read, readIfAllowed } = createReader(before);
  const get =
    (path: string, parameters: object = {}) =>
    (etag: string | undefined) =>
      call(signal, async (octokit, request) => {
        const headers = etag === undefined ? {} : { 'if-none-match': etag };
        const options = { ...repository, ...parameters, headers, request };
        return unlessUnchanged(octokit, `GET /repos/{owner}/{repo}${path}`, options);
      });

  const details = await read('pull', detailsSchema, get('/pulls/{pull_number}', { pull_number }));
  const pullRequest = { ...readPullRequest(details), ...obstacleOf(details.mergeable_state) };
  if (pullRequest.state === 'merged' || pullRequest.state === 'closed')
    return { pullRequest, seen };
  const ref = details.head.sha;
  const [checkRuns, status, reviews] = await Promise.all([
    readIfAllowed(
      `check-runs ${ref}`,
      checkRunsSchema,
      get('/commits/{ref}/check-runs', { ref, per_page: 100 }),
    ),
    readIfAllowed(
      `status ${ref}`,
      statusSchema,
      get('/commits/{ref}/status', { ref, per_page: 1 }),
    ),
    readIfAllowed(
      'reviews',
      reviewsSchema,
      get('/pulls/{pull_number}/reviews', { pull_number, per_page: 100 }),
    ),
  ]);
  const checks = checksOf(checkRuns, status);
  const review = reviewOf(reviews ?? [], details);
  return { pullRequest: { ...pullRequest, ...checks, ...review }, seen };
}

async function unlessUnchanged(
  octokit: Octokit,
  route: string,
  options: Parameters<Octokit['request']>[1],
) {
  try {
    const { headers, data } = await octokit.request(route, options);
    return { etag: headers.etag, data: data as unknown };
  } catch (error) {
    if (statusOf(error) === 304) return undefined;
    throw error;
  }
}

function obstacleOf(state: string | undefined): Pick<PullRequest, 'obstacle'> {
  if (state === 'behind') return { obstacle: 'behind' };
  if (state === 'dirty') return { obstacle: 'conflicts' };
  return state === 'blocked' ? { obstacle: 'rules' } : {};
}

const passed = ['success', 'neutral', 'skipped'];

/** Combines app checks and older commit statuses into one result, as GitHub's page does. */
function checksOf(
  checkRuns: z.infer<typeof checkRunsSchema> | undefined,
  status: z.infer<typeof statusSchema> | undefined,
): Pick<PullRequest, 'checks'> {
  const { total_count: count, check_runs: read } = checkRuns ?? { total_count: 0, check_runs: [] };
  const results = read.map(({ status: step, conclusion }) => {
    if (step !== 'completed') return 'pending';
    return passed.includes(conclusion ?? '') ? 'passing' : 'failing';
  });
  // Ignore GitHub's state if there are no statuses, because it's "pending" in that case.
  if (status && status.total_count > 0)
    results.push(
      status.state === 'success' ? 'passing' : status.state === 'pending' ? 'pending' : 'failing',
    );
  const checks = (['failing', 'pending', 'passing'] as const).find((each) =>
    results.includes(each),
  );
  // Don't report passing checks if there are more than were read, because one of the others may have failed.
  const isKnown = checks !== 'passing' || count <= read.length;
  return checks && isKnown ? { checks } : {};
}

/** Roles of reviewers that are needed for a review to apply. In a public repository, anyone can write a review. */
const counting = ['OWNER', 'MEMBER', 'COLLABORATOR'];

function reviewOf(
  reviews: z.infer<typeof reviewsSchema>,
  { requested_reviewers: people, requested_teams: teams }: z.infer<typeof detailsSchema>,
): Pick<PullRequest, 'review'> {
  const latest = new Map<number, string>();
  for (const { user, state, author_association: association } of reviews)
    if (user && counting.includes(association) && !['COMMENTED', 'PENDING'].includes(state))
      latest.set(user.id, state);
  const states = [...latest.values()];
  if (states.includes('CHANGES_REQUESTED')) return { review: 'changes_requested' };
  const isAsked = (people?.length ?? 0) + (teams?.length ?? 0) > 0;
  if (isAsked) return { review: 'required' };
  return states.includes('APPROVED') ? { review: 'approved' } : {};
}
