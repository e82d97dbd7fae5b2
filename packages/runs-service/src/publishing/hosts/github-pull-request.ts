import { z } from 'zod';
import type { PullRequest } from '../../store/publication.ts';

/** What lists, single answers and creations have. */
export const pullRequestSchema = z.object({
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
