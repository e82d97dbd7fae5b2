import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { PullRequest } from '../../../store/service/service-publications.ts';
import { readSecretFile } from '../git/remote-access.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { CodeHost } from './code-host.ts';
import { hostProblem, unreachable } from './host-problem.ts';

const host = 'GitHub';
const callTimeoutMs = 20_000;
/** What GitHub wants as the user name of a token. */
const tokenUser = 'x-access-token';

export function createGithubHost(plan: PublishPlan): CodeHost {
  const { project } = plan;
  const [owner = '', repo = ''] = project.split('/');
  const place = { owner, repo };

  /** Runs calls with a client whose token is read now. */
  async function call<T>(
    signal: AbortSignal,
    work: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const octokit = await createClient(plan, place);
    const request = { signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]) };
    try {
      return await work(octokit, request);
    } catch (error) {
      throw problemOf(project, error);
    }
  }

  return {
    async login(signal) {
      if (!plan.config.app) return loginOfToken(plan);
      return call(signal, async (octokit) => {
        const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
        return { user: tokenUser, token };
      });
    },

    find: (branch, signal) =>
      call(signal, async (octokit, request) => {
        const head = `${owner}:${branch}`;
        const found = await octokit.pulls.list({ ...place, head, state: 'all', request });
        const open = found.data.find(({ state }) => state === 'open');
        const newest = open ?? found.data[0];
        return newest && readPullRequest(newest);
      }),

    open: ({ branch, ...wanted }, signal) =>
      call(signal, async (octokit, request) => {
        const body = { ...place, ...wanted, head: branch, request };
        try {
          return readPullRequest((await octokit.pulls.create(body)).data);
        } catch (error) {
          const words = wordsOf(error);
          if (statusOf(error) === 422 && /already exists/i.test(words)) return 'exists';
          const hasNoDrafts = statusOf(error) === 422 && /draft/i.test(words) && wanted.draft;
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
          if (!(error instanceof PublishProblem) || error.mayPass) throw error;
          failed.push(`Couldn't add ${what}: ${error.message}`);
        }
      };
      const pull = { ...place, pull_number: number, reviewers: people };
      const team_reviewers = teams.map((name) => name.split('/')[1] ?? name);
      if (reviewers.length > 0)
        await attempt('reviewers', (octokit, request) =>
          octokit.pulls.requestReviewers({ ...pull, team_reviewers, request }),
        );
      if (labels.length > 0)
        await attempt('labels', (octokit, request) =>
          octokit.issues.addLabels({
            ...place,
            issue_number: number,
            labels: [...labels],
            request,
          }),
        );
      return failed.length > 0 ? failed.join(' ') : undefined;
    },
  };
}

async function loginOfToken({ config }: PublishPlan) {
  if (config.token_file === undefined) return undefined;
  const token = await readSecretFile(config.token_file, 'token_file');
  return { user: config.user ?? tokenUser, token };
}

async function createClient(
  { config, apiUrl }: PublishPlan,
  place: { owner: string; repo: string },
): Promise<Octokit> {
  const baseUrl = apiUrl;
  if (!config.app) return new Octokit({ baseUrl, auth: await requireToken(config.token_file) });
  const { id: appId, private_key_file: keyFile, installation_id: given } = config.app;
  const privateKey = await readSecretFile(keyFile, 'private_key_file');
  const app = { baseUrl, authStrategy: createAppAuth, auth: { appId, privateKey } };
  const installationId = given ?? (await new Octokit(app).apps.getRepoInstallation(place)).data.id;
  return new Octokit({ ...app, auth: { ...app.auth, installationId } });
}

async function requireToken(file: string | undefined): Promise<string> {
  if (file !== undefined) return readSecretFile(file, 'token_file');
  throw new PublishProblem(
    'A pull request on GitHub needs a token. Set "token_file" or "app" under "publish" of the environment.',
  );
}

type PullRequestAnswer = {
  number: number;
  html_url: string;
  state: string;
  draft?: boolean | undefined;
  merged_at: string | null;
  title: string;
};

function readPullRequest(answer: PullRequestAnswer): PullRequest {
  const { number, html_url: url, title, draft } = answer;
  return { number, url, title, state: stateOf({ ...answer, isDraft: draft ?? false }) };
}

function stateOf(answer: PullRequestAnswer & { isDraft: boolean }): PullRequest['state'] {
  if (answer.merged_at !== null) return 'merged';
  if (answer.state !== 'open') return 'closed';
  return answer.isDraft ? 'draft' : 'open';
}

type AnsweredError = {
  status: number;
  message: string;
  response?: { headers: Record<string, string>; data?: unknown };
};

/** Octokit's packages each have their own copy of the error class. */
const isAnswered = (error: unknown): error is AnsweredError =>
  error instanceof Error && error.name === 'HttpError';

const statusOf = (error: unknown) => (isAnswered(error) ? error.status : undefined);

/** GitHub says what is wrong in `errors`, if it has more than one sentence to say. */
function wordsOf(error: unknown): string {
  if (!isAnswered(error)) return String(error);
  const { message = error.message, errors = [] } = (error.response?.data ?? {}) as {
    message?: string;
    errors?: (string | { message?: string; field?: string })[];
  };
  const details = errors.map((each) =>
    typeof each === 'string' ? each : (each.message ?? `"${each.field}" is wrong`),
  );
  return [message, ...details].join('; ');
}

function problemOf(project: string, error: unknown): unknown {
  if (error instanceof PublishProblem) return error;
  if (!isAnswered(error)) {
    if (error instanceof Error && error.name === 'AbortError') return unreachable(host, error);
    return error;
  }
  if (!error.response) return unreachable(host, error);
  const { status, response } = error;
  return hostProblem(host, project, { status, headers: response.headers, message: wordsOf(error) });
}
