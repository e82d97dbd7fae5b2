import { parseJson } from 'base/parse-json';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { hostProblem, unreachable } from './host-problem.ts';
import { readSecretFile } from './publish-login.ts';

const host = 'GitLab';
const callTimeoutMs = 20_000;

type Request = {
  method?: 'GET' | 'POST' | 'PUT';
  /** Path below the API's base URL. */
  path: string;
  body?: object;
  etag?: string | undefined;
  /** Error statuses that are returned. Others are thrown. */
  expected?: readonly number[];
};
type GitlabAnswer = {
  status: number;
  etag: string | undefined;
  data: unknown;
  /** Reason that GitLab gave for an error status. */
  reason: string;
};
export type GitlabCall = (request: Request, signal: AbortSignal) => Promise<GitlabAnswer>;

/** Returns the API path of the project's merge requests. */
export const mergeRequestsOf = ({ project }: PublishPlan): string =>
  `/projects/${encodeURIComponent(project)}/merge_requests`;

/**
 * Creates a function that calls GitLab's API with `fetch`. GitLab's client library isn't used, because it retries
 * rejected calls at once, ignores `Retry-After`, and can't be aborted. See
 * docs/decisions/028-changes-are-published-from-the-patch.md.
 */
export function createGitlabCall({ apiUrl, project, config }: PublishPlan): GitlabCall {
  return async ({ method = 'GET', path, body, etag, expected = [] }, signal) => {
    const token = await requireToken(config.token_file);
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${apiUrl}${path}`, {
        method,
        redirect: 'error',
        headers: {
          'private-token': token,
          'content-type': 'application/json',
          ...(etag !== undefined && { 'if-none-match': etag }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
      });
      text = await answer.text();
    } catch (error) {
      throw unreachable(host, error);
    }
    const { status, headers } = answer;
    const reason = reasonOf(text);
    if (!answer.ok && ![304, ...expected].includes(status))
      throw hostProblem(host, project, {
        status,
        message: reason,
        headers: Object.fromEntries(headers),
      });
    // Check that the answer is JSON, because a proxy can answer with a page.
    const data = parseJson(text);
    if (answer.ok && typeof data !== 'object')
      throw new PublishProblem(
        `${host}'s address answered with something else. Check "api_url" under "publish".`,
      );
    return { status, etag: headers.get('etag') ?? undefined, data, reason };
  };
}

async function requireToken(file: string | undefined): Promise<string> {
  if (file !== undefined) return readSecretFile(file, 'token_file');
  throw new PublishProblem(
    'A merge request on GitLab needs a token. Set "token_file" under "publish" of the environment.',
  );
}

/**
 * Returns GitLab's reason. `message` can be a string, a list, or an object of lists; some answers have `error` instead.
 */
function reasonOf(text: string): string {
  const { message, error } = (parseJson(text) ?? {}) as { message?: unknown; error?: unknown };
  const reason = message ?? error ?? '';
  return typeof reason === 'string' ? reason : JSON.stringify(reason).replace(/[[\]{}"]/g, ' ');
}
