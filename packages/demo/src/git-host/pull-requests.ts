import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const pullRequestSchema = z.object({
  number: z.number(),
  repository: z.string(),
  title: z.string(),
  body: z.string(),
  /** Name of the branch with the changes. */
  head: z.string(),
  base: z.string(),
  draft: z.boolean(),
  /** The commit on `base` that merged the pull request. */
  merge: z.object({ commit: z.string(), at: z.string() }).optional(),
});
export type PullRequest = z.infer<typeof pullRequestSchema>;
export type NewPullRequest = Pick<
  PullRequest,
  'repository' | 'title' | 'body' | 'head' | 'base' | 'draft'
>;

/** Stores the demo's pull requests in one small file. Methods are synchronous, so that changes can't interleave. */
export function createPullRequests(file: string) {
  const all = existsSync(file)
    ? z.array(pullRequestSchema).parse(JSON.parse(readFileSync(file, 'utf8')))
    : [];
  const save = () => {
    writeFileSync(`${file}.new`, JSON.stringify(all, null, 2), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const find = (repository: string, number: number) =>
    all.find((each) => each.repository === repository && each.number === number);
  return {
    find,
    ofBranch: (repository: string, head: string) =>
      all.filter((each) => each.repository === repository && each.head === head),
    open(wanted: NewPullRequest): PullRequest {
      const opened = { ...wanted, number: all.length + 1 };
      all.push(opened);
      save();
      return opened;
    },
    change(pull: PullRequest, changes: Partial<Pick<PullRequest, 'draft' | 'merge'>>): void {
      Object.assign(pull, changes);
      save();
    },
  };
}
export type PullRequests = ReturnType<typeof createPullRequests>;
