import { type KeyObject, verify } from 'node:crypto';
import { type Reply, type Route, startApiServer } from './api-server.ts';
import type { GitServer } from './git-server.ts';

export type Pull = {
  number: number;
  node_id: string;
  html_url: string;
  state: string;
  draft: boolean;
  merged_at: string | null;
  title: string;
  body: string;
  /** Branch of the change. `repo` is null for a deleted fork. */
  head: { ref: string; sha: string; repo: { id: number } | null };
  base: { ref: string; repo: { id: number } };
  mergeable_state: string;
  requested_reviewers: { login: string }[];
  requested_teams: { slug: string }[];
};

type Review = { state: string; user: { id: number }; author_association: string };
type CheckRun = { status: string; conclusion: string | null };

/**
 * Starts GitHub's API for one repository.
 * @param git the repository's server, from which pull requests get their newest commits
 */
export async function startGithubServer(git?: Pick<GitServer, 'git' | 'merge'>) {
  const pulls: Pull[] = [];
  const asked: { reviewers: string[]; labels: string[] } = { reviewers: [], labels: [] };
  const reviews: Review[] = [];
  const checkRuns: CheckRun[] = [];
  const status = { state: 'pending', total_count: 0 };
  const repository = { allow_merge_commit: true, allow_squash_merge: true };
  /** Merge methods of the merges so far. */
  const merges: string[] = [];
  /** Accepted tokens. Without any, all are accepted. */
  const tokens: string[] = [];
  /** GitHub App of the repository, if it has one. */
  let app: App | undefined;

  function shown(pull: Pull | undefined): Pull | undefined {
    if (pull && git && pull.merged_at === null)
      pull.head.sha = git.git('rev-parse', `refs/heads/${pull.head.ref}`);
    return pull;
  }
  const pullOf = (number: string | undefined) => shown(pulls[Number(number) - 1]);

  function open(wanted: Record<'title' | 'body' | 'head' | 'base', string> & { draft?: boolean }) {
    const isOpen = pulls.some(({ head, state }) => head.ref === wanted.head && state === 'open');
    if (isOpen) return invalid(`A pull request already exists for acme:${wanted.head}.`);
    const number = pulls.length + 1;
    pulls.push({
      number,
      node_id: `PR_${number}`,
      state: 'open',
      merged_at: null,
      html_url: `https://github.test/acme/app/pull/${number}`,
      draft: wanted.draft ?? false,
      title: wanted.title,
      body: wanted.body,
      head: { ref: wanted.head, sha: '', repo: { id: 1 } },
      base: { ref: wanted.base, repo: { id: 1 } },
      mergeable_state: 'clean',
      requested_reviewers: [],
      requested_teams: [],
    });
    return { status: 201, body: pullOf(String(number)) };
  }

  function merge(number: string | undefined, { sha, merge_method }: Record<string, string>): Reply {
    const pull = pullOf(number);
    if (!pull) return reject(404, 'Not Found');
    if (pull.state !== 'open' || pull.draft) return reject(405, 'Pull Request is not mergeable');
    if (merge_method === 'merge' && !repository.allow_merge_commit)
      return reject(405, 'Merge commits are not allowed on this repository.');
    if (sha !== pull.head.sha)
      return reject(409, 'Head branch was modified. Review and try the merge again.');
    if (git && !git.merge(pull.head.ref, pull.base.ref))
      return reject(405, 'Pull Request has merge conflicts');
    Object.assign(pull, { state: 'closed', merged_at: new Date().toISOString() });
    merges.push(merge_method ?? 'merge');
    return { status: 200, body: { sha, merged: true, message: 'Merged' } };
  }

  const routes: Route[] = [
    [
      /^GET \/repos\/acme\/app\/pulls$/,
      (_, __, query) =>
        pulls
          .filter(({ head }) => query.get('head') === `acme:${head.ref}`)
          .filter(({ state }) => [state, 'all'].includes(query.get('state') ?? 'open'))
          .map(shown)
          .toReversed(),
    ],
    [/^GET \/repos\/acme\/app\/pulls\/(\d+)$/, ([, number]) => bodyOf(pullOf(number))],
    [/^POST \/repos\/acme\/app\/pulls$/, (_, body) => open(body as Parameters<typeof open>[0])],
    [
      /^PUT \/repos\/acme\/app\/pulls\/(\d+)\/merge$/,
      ([, number], body) => merge(number, body as Record<string, string>),
    ],
    [/^GET \/repos\/acme\/app\/pulls\/\d+\/reviews$/, () => reviews],
    [
      /^GET \/repos\/acme\/app\/commits\/[0-9a-f]+\/check-runs$/,
      () => ({ total_count: checkRuns.length, check_runs: checkRuns.slice(0, 100) }),
    ],
    [/^GET \/repos\/acme\/app\/commits\/[0-9a-f]+\/status$/, () => bodyOf(status)],
    [/^GET \/repos\/acme\/app$/, () => repository],
    [
      /^POST .*\/requested_reviewers$/,
      (_, body) => {
        asked.reviewers = (body as { reviewers: string[] }).reviewers;
        const pull = pulls.at(-1);
        if (pull) pull.requested_reviewers = asked.reviewers.map((login) => ({ login }));
        return { status: 201, body: pull };
      },
    ],
    [
      /^POST .*\/labels$/,
      (_, body) => {
        asked.labels = (body as { labels: string[] }).labels;
        return [];
      },
    ],
    [/^POST \/graphql$/, (_, body) => readyByGraphql(pulls, body)],
    [/^GET \/repos\/acme\/app\/installation$/, () => app && { id: app.installation }],
    [
      /^POST \/app\/installations\/(\d+)\/access_tokens$/,
      ([, installation], body) => app && issueToken(app, tokens, Number(installation), body),
    ],
  ];
  const server = await startApiServer({
    description: 'github-api.json',
    routes,
    rejectToken({ authorization = '' }, path) {
      if (/^\/app\/|\/installation$/.test(path)) return app && rejectJwt(app, authorization);
      const isKnown = tokens.some((token) => authorization.endsWith(` ${token}`));
      return tokens.length > 0 && !isKnown ? reject(401, 'Bad credentials') : undefined;
    },
  });
  const useApp = (used: App) => {
    app = used;
    // Accept no token until one is issued.
    tokens.push('none');
  };
  return {
    ...server,
    pulls,
    asked,
    reviews,
    checkRuns,
    status,
    repository,
    merges,
    tokens,
    useApp,
  };
}

type App = {
  id: number;
  installation: number;
  publicKey: KeyObject;
  /** Lifetime of a token, in ms. */
  lifetimeMs: number;
  /** Bodies of the requests for tokens. */
  issued: unknown[];
};

/** Checks a JWT like GitHub: the app's ID, the signature, and a lifetime of at most ten minutes. */
function rejectJwt({ id, publicKey }: App, authorization: string): Reply | undefined {
  const [, head = '', claims = '', signature = ''] =
    /^bearer ([^.]+)\.([^.]+)\.([^.]+)$/i.exec(authorization) ?? [];
  const decode = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString() || '{}') as Record<string, unknown>;
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || decode(head)['alg'] !== 'RS256')
    return reject(401, 'A JSON web token could not be decoded');
  const { iss, iat, exp } = decode(claims);
  const now = Date.now() / 1000;
  const isTimely = Number(iat) <= now && Number(exp) > now && Number(exp) <= now + 600;
  return String(iss) === String(id) && isTimely ? undefined : reject(401, 'Integration not found');
}

function issueToken(app: App, tokens: string[], installation: number, body: unknown): Reply {
  if (installation !== app.installation) return reject(404, 'Not Found');
  app.issued.push(body);
  const token = `ghs_${app.issued.length}`;
  tokens.splice(0, tokens.length, token);
  const expires_at = new Date(Date.now() + app.lifetimeMs).toISOString();
  const permissions = { contents: 'write', pull_requests: 'write' };
  return {
    status: 201,
    body: { token, expires_at, permissions, repository_selection: 'selected' },
  };
}

/** Makes a reply of a body, because a member `status` of the body isn't the reply's status. */
const bodyOf = (body: object | undefined): Reply | undefined => body && { status: 200, body };

const reject = (status: number, message: string): Reply => ({ status, body: { message } });
const invalid = (message: string): Reply => ({
  status: 422,
  body: { message: 'Validation Failed', errors: [{ message }] },
});

/** Answers the only mutation, according to GitHub's public schema. GraphQL errors have the status 200. */
function readyByGraphql(pulls: readonly Pull[], body: unknown): Reply {
  const { query, variables } = body as { query: string; variables: { id?: string } };
  const wanted =
    /^mutation \(\$id: ID!\) \{\s*markPullRequestReadyForReview\(input: \{ pullRequestId: \$id \}\) \{ pullRequest \{ isDraft \} \}\s*\}$/;
  if (!wanted.test(query)) return { status: 200, body: { errors: [{ message: 'Parse error' }] } };
  const pull = pulls.find(({ node_id }) => node_id === variables.id);
  if (!pull) {
    const message = `Could not resolve to a node with the global id of '${variables.id}'`;
    return { status: 200, body: { data: null, errors: [{ type: 'NOT_FOUND', message }] } };
  }
  pull.draft = false;
  const data = { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } };
  return { status: 200, body: { data } };
}
