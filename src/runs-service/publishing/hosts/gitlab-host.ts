import { z } from 'zod';
import type { PullRequest } from '../../../store/service/service-publications.ts';
import { readSecretFile } from '../git/remote-access.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';
import type { CodeHost } from './code-host.ts';
import { hostProblem, unreachable } from './host-problem.ts';

const host = 'GitLab';
const callTimeoutMs = 20_000;

const mergeRequestSchema = z.looseObject({
  iid: z.number(),
  web_url: z.string(),
  state: z.string(),
  draft: z.boolean().optional(),
  title: z.string(),
});

type Call = { method?: 'GET' | 'POST' | 'PUT'; path: string; body?: object };

/**
 * GitLab's merge requests, in five requests over `fetch`: its client libraries wait and repeat inside a call, which a
 * stop of the service would have to wait for. See docs/decisions/039-changes-are-published-from-the-patch.md.
 */
export function createGitlabHost(plan: PublishPlan): CodeHost {
  const { project } = plan;
  const base = `${plan.apiUrl}/projects/${encodeURIComponent(project)}`;
  const requests = `${base}/merge_requests`;

  async function call({ method = 'GET', path, body }: Call, signal: AbortSignal): Promise<unknown> {
    const token = await requireToken(plan.config.token_file);
    const headers = { 'private-token': token, 'content-type': 'application/json' };
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(path, {
        ...{ method, headers, redirect: 'error' },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
      });
      text = await answer.text();
    } catch (error) {
      throw unreachable(host, error);
    }
    if (answer.ok) return JSON.parse(text);
    const { status } = answer;
    const message = wordsOf(text);
    if (method === 'POST' && status === 409) return 'exists';
    throw hostProblem(host, project, {
      status,
      headers: Object.fromEntries(answer.headers),
      message,
    });
  }

  /** GitLab takes the numbers of people, not their names. */
  async function reviewerIds(names: readonly string[], signal: AbortSignal): Promise<number[]> {
    const ids = await Promise.all(
      names.map(async (name) => {
        const path = `${plan.apiUrl}/users?username=${encodeURIComponent(name)}`;
        const found = await call({ path }, signal);
        return z.array(z.looseObject({ id: z.number() })).parse(found)[0]?.id;
      }),
    );
    return ids.filter((id) => id !== undefined);
  }

  return {
    async login() {
      const { token_file: file, user = 'oauth2' } = plan.config;
      return file === undefined
        ? undefined
        : { user, token: await readSecretFile(file, 'token_file') };
    },

    async find(branch, signal) {
      const query = new URLSearchParams({ source_branch: branch, state: 'all' });
      const found = z
        .array(mergeRequestSchema)
        .parse(await call({ path: `${requests}?${query}` }, signal));
      const newest = found.find(({ state }) => state === 'opened') ?? found[0];
      return newest && readMergeRequest(newest);
    },

    async open({ branch, base: target, title, body, draft }, signal) {
      const created = await call(
        {
          method: 'POST',
          path: requests,
          body: {
            ...{ source_branch: branch, target_branch: target, description: body },
            title: draft ? `Draft: ${title}` : title,
          },
        },
        signal,
      );
      return created === 'exists' ? created : readMergeRequest(mergeRequestSchema.parse(created));
    },

    async decorate(number, { reviewers, labels }, signal) {
      if (reviewers.length + labels.length === 0) return undefined;
      const ids = await reviewerIds(reviewers, signal);
      const body = {
        ...(ids.length > 0 && { reviewer_ids: ids }),
        ...(labels.length > 0 && { add_labels: labels.join(',') }),
      };
      await call({ method: 'PUT', path: `${requests}/${number}`, body }, signal);
      return ids.length < reviewers.length
        ? "Couldn't add all reviewers, because GitLab doesn't know some of these names."
        : undefined;
    },
  };
}

async function requireToken(file: string | undefined): Promise<string> {
  if (file !== undefined) return readSecretFile(file, 'token_file');
  throw new PublishProblem(
    'A merge request on GitLab needs a token. Set "token_file" under "publish" of the environment.',
  );
}

function readMergeRequest(answer: z.infer<typeof mergeRequestSchema>): PullRequest {
  const { iid: number, web_url: url, title } = answer;
  return { number, url, title, state: stateOf(answer) };
}

function stateOf({ state, draft }: z.infer<typeof mergeRequestSchema>): PullRequest['state'] {
  if (state === 'merged') return 'merged';
  if (state !== 'opened') return 'closed';
  return draft ? 'draft' : 'open';
}

/** `message` is a text, a list, or an object of lists; some answers have `error`. */
function wordsOf(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const words = message ?? error ?? '';
    return typeof words === 'string' ? words : JSON.stringify(words).replace(/[[\]{}"]/g, ' ');
  } catch {
    // A proxy's page, not GitLab's answer.
    return '';
  }
}
