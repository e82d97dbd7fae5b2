import { parseJson } from 'base/parse-json';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import { hostProblem, unreachable } from './host-problem.ts';
import { readSecretFile } from './publish-login.ts';

const host = 'GitLab';
const callTimeoutMs = 20_000;

type Request = {
  method?: 'GET' | 'POST' | 'PUT';
  /** Path after the API's address. */
  path: string;
  body?: object;
  etag?: string | undefined;
  /** Statuses of refusals that are answers; others are thrown. */
  expected?: readonly number[];
};
type GitlabAnswer = {
  status: number;
  etag: string | undefined;
  data: unknown;
  /** Text of a rejection. */
  words: string;
};
export type GitlabCall = (request: Request, signal: AbortSignal) => Promise<GitlabAnswer>;

/** The place of the project's merge requests in the API. */
export const mergeRequestsOf = ({ project }: PublishPlan): string =>
  `/projects/${encodeURIComponent(project)}/merge_requests`;

/**
 * Calls GitLab's API with `fetch`. The client library repeats rejected calls at once, ignores the wait that GitLab
 * asks for, and can't be stopped. See docs/decisions/028-changes-are-published-from-the-patch.md.
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
    const words = wordsOf(text);
    if (!answer.ok && ![304, ...expected].includes(status))
      throw hostProblem(host, project, {
        status,
        message: words,
        headers: Object.fromEntries(headers),
      });
    // A proxy's page isn't GitLab's answer, and isn't JSON.
    const data = parseJson(text);
    if (answer.ok && typeof data !== 'object')
      throw new PublishProblem(
        `${host}'s address answered with something else. Check "api_url" under "publish".`,
      );
    return { status, etag: headers.get('etag') ?? undefined, data, words };
  };
}

async function requireToken(file: string | undefined): Promise<string> {
  if (file !== undefined) return readSecretFile(file, 'token_file');
  throw new PublishProblem(
    'A merge request on GitLab needs a token. Set "token_file" under "publish" of the environment.',
  );
}

/** `message` is a text, a list, or an object of lists; some answers have `error`. */
function wordsOf(text: string): string {
  const { message, error } = (parseJson(text) ?? {}) as { message?: unknown; error?: unknown };
  const words = message ?? error ?? '';
  return typeof words === 'string' ? words : JSON.stringify(words).replace(/[[\]{}"]/g, ' ');
}
