import { type Reply, type Route, startApiServer } from './api-server.ts';
import type { GitServer } from './git-server.ts';

type MergeRequest = {
  iid: number;
  web_url: string;
  state: string;
  draft: boolean;
  title: string;
  description: string;
  sha: string | null;
  source_branch: string;
  target_branch: string;
  /** Project ID. A merge request from a fork has another one. */
  source_project_id: number;
  target_project_id: number;
  reviewers: { id: number }[];
  detailed_merge_status: string;
  head_pipeline: { status: string } | null;
};

/** Starts GitLab's API for the project `acme/app`. Only requests with `token` are accepted. */
export async function startGitlabServer(git: Pick<GitServer, 'git' | 'merge'>, token: string) {
  const mergeRequests: MergeRequest[] = [];
  const people = new Map([['grace', 7]]);
  const labels: string[] = [];
  const approvals: { approved_by: { user: { id: number } }[] } = { approved_by: [] };
  const merges: number[] = [];

  function shown(found: MergeRequest | undefined): MergeRequest | undefined {
    if (found && found.state === 'opened')
      found.sha = git.git('rev-parse', `refs/heads/${found.source_branch}`);
    // GitLab recognizes a draft by its title.
    return found && { ...found, draft: /^draft:/i.test(found.title) };
  }
  const stored = (iid: string | undefined) => mergeRequests[Number(iid) - 1];

  function open(body: Record<string, string>): Reply {
    const { title = '', source_branch = '', target_branch = '', description = '' } = body;
    const earlier = mergeRequests.find(
      (each) =>
        each.source_branch === source_branch &&
        each.source_project_id === each.target_project_id &&
        each.state === 'opened',
    );
    if (earlier) {
      const words = `Another open merge request already exists for this source branch: !${earlier.iid}`;
      return { status: 409, body: { message: [words] } };
    }
    const iid = mergeRequests.length + 1;
    mergeRequests.push({
      iid,
      web_url: `https://gitlab.test/acme/app/-/merge_requests/${iid}`,
      state: 'opened',
      draft: false,
      title,
      description,
      sha: null,
      source_branch,
      target_branch,
      source_project_id: 1,
      target_project_id: 1,
      reviewers: [],
      detailed_merge_status: 'mergeable',
      head_pipeline: null,
    });
    return { status: 201, body: shown(stored(String(iid))) };
  }

  type Change = { title?: string; reviewer_ids?: number[]; add_labels?: string[] };
  function change(iid: string | undefined, wanted: Change): unknown {
    const found = stored(iid);
    if (!found) return undefined;
    if (wanted.title !== undefined) found.title = wanted.title;
    if (wanted.reviewer_ids) found.reviewers = wanted.reviewer_ids.map((id) => ({ id }));
    labels.push(...(wanted.add_labels ?? []));
    return shown(found);
  }

  function merge(iid: string | undefined, { sha }: { sha?: string }): Reply {
    const [found, now] = [stored(iid), shown(stored(iid))];
    if (!found || !now) return { status: 404, body: { message: '404 Not found' } };
    if (now.state !== 'opened' || now.draft || now.detailed_merge_status !== 'mergeable')
      return { status: 405, body: { message: '405 Method Not Allowed' } };
    if (sha !== now.sha)
      return { status: 409, body: { message: 'SHA does not match HEAD of source branch' } };
    if (!git.merge(now.source_branch, now.target_branch))
      return { status: 422, body: { message: 'Branch cannot be merged' } };
    found.state = 'merged';
    merges.push(now.iid);
    return { status: 200, body: shown(found) };
  }

  const one = String.raw`\/projects\/acme%2Fapp\/merge_requests\/(\d+)`;
  const routes: Route[] = [
    [
      /^GET \/projects\/acme%2Fapp\/merge_requests$/,
      (_, __, query) =>
        mergeRequests
          .filter((each) => each.source_branch === query.get('source_branch'))
          .map(shown)
          .toReversed(),
    ],
    [
      /^POST \/projects\/acme%2Fapp\/merge_requests$/,
      (_, body) => open(body as Record<string, string>),
    ],
    [new RegExp(`^GET ${one}$`), ([, iid]) => shown(stored(iid))],
    [new RegExp(`^PUT ${one}$`), ([, iid], body) => change(iid, body as Change)],
    [new RegExp(`^PUT ${one}\\/merge$`), ([, iid], body) => merge(iid, body as { sha?: string })],
    [new RegExp(`^GET ${one}\\/approvals$`), () => approvals],
    [
      /^GET \/users$/,
      (_, __, query) => {
        const id = people.get(query.get('username') ?? '');
        return id === undefined ? [] : [{ id }];
      },
    ],
  ];
  const server = await startApiServer({
    description: 'gitlab-api.json',
    prefix: '/api/v4',
    routes,
    rejectToken: ({ 'private-token': sent }) =>
      sent === token ? undefined : { status: 401, body: { message: '401 Unauthorized' } },
  });
  return { ...server, mergeRequests, labels, approvals, merges };
}
