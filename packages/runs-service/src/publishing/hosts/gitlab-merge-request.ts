import { z } from 'zod';
import type { PullRequest, Seen } from '../../store/publication.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { createReader, type PullRequestPoll } from './code-host.ts';
import { type GitlabCall, mergeRequestsOf } from './gitlab-client.ts';

/** Schema of a merge request. The optional fields are missing in some responses, such as lists. */
export const mergeRequestSchema = z.object({
  iid: z.number(),
  web_url: z.string(),
  state: z.string(),
  draft: z.boolean().optional(),
  title: z.string(),
  sha: z.string().nullish(),
  source_project_id: z.number().nullish(),
  target_project_id: z.number(),
  reviewers: z.array(z.unknown()).nullish(),
  detailed_merge_status: z.string().optional(),
  head_pipeline: z.object({ status: z.string() }).nullish(),
});
type MergeRequest = z.infer<typeof mergeRequestSchema>;

const approvalsSchema = z.object({ approved_by: z.array(z.unknown()) });

export function readMergeRequest(answer: unknown): PullRequest {
  const read = mergeRequestSchema.parse(answer);
  const { iid: number, web_url: url, title, sha } = read;
  return { number, url, title, state: stateOf(read), ...(sha && { head: sha }) };
}

function stateOf({ state, draft }: MergeRequest): PullRequest['state'] {
  if (state === 'merged') return 'merged';
  // Treat "locked" as open, because GitLab uses it while it merges.
  if (state !== 'opened' && state !== 'locked') return 'closed';
  return draft ? 'draft' : 'open';
}

/** Returns true for a merge request from a fork, which can have a branch of the same name. */
export const isFromFork = ({
  source_project_id: source,
  target_project_id: target,
}: MergeRequest) => source !== target;

type PollDeps = { plan: PublishPlan; call: GitlabCall; signal: AbortSignal };

/** Reads state, checks and approvals in two requests. While nothing changes, their responses have no body. */
export async function pollMergeRequest(
  { plan, call, signal }: PollDeps,
  number: number,
  before: Seen,
): Promise<PullRequestPoll> {
  const { seen, read, readIfAllowed } = createReader(before);
  const path = `${mergeRequestsOf(plan)}/${number}`;
  const get = (more: string) => async (etag: string | undefined) => {
    const answer = await call({ path: `${path}${more}`, etag }, signal);
    return answer.status === 304 ? undefined : answer;
  };
  const found = await read('merge request', mergeRequestSchema, get(''));
  const pullRequest = readMergeRequest(found);
  if (pullRequest.state === 'merged' || pullRequest.state === 'closed')
    return { pullRequest, seen };
  const approvals = await readIfAllowed('approvals', approvalsSchema, get('/approvals'));
  const isApproved = (approvals?.approved_by.length ?? 0) > 0;
  const more = { ...checksOf(found), ...reviewOf(found, isApproved), ...obstacleOf(found) };
  return { pullRequest: { ...pullRequest, ...more }, seen };
}

function checksOf({ head_pipeline: pipeline }: MergeRequest): Pick<PullRequest, 'checks'> {
  switch (pipeline?.status) {
    case undefined:
    case 'skipped':
      return {};
    case 'success':
      return { checks: 'passing' };
    case 'failed':
    case 'canceled':
      return { checks: 'failing' };
    default:
      return { checks: 'pending' };
  }
}

function reviewOf(
  { detailed_merge_status: status, reviewers }: MergeRequest,
  isApproved: boolean,
): Pick<PullRequest, 'review'> {
  if (status === 'requested_changes') return { review: 'changes_requested' };
  if (status === 'not_approved') return { review: 'required' };
  if (isApproved) return { review: 'approved' };
  return (reviewers?.length ?? 0) > 0 ? { review: 'required' } : {};
}

/** Statuses in which GitLab rejects merging until someone acts. */
const rules = [
  ...['blocked_status', 'ci_must_pass', 'ci_still_running', 'discussions_not_resolved'],
  ...['external_status_checks', 'jira_association_missing', 'locked_lfs_files', 'locked_paths'],
  ...['merge_request_blocked', 'merge_time', 'not_approved', 'policies_denied'],
  ...['requested_changes', 'security_policy_violations', 'status_checks_must_pass'],
  'title_regex',
];

function obstacleOf({
  detailed_merge_status: status = '',
}: MergeRequest): Pick<PullRequest, 'obstacle'> {
  if (status === 'need_rebase') return { obstacle: 'behind' };
  if (status === 'conflict' || status === 'broken_status') return { obstacle: 'conflicts' };
  return rules.includes(status) ? { obstacle: 'rules' } : {};
}
