import { z } from 'zod';

const publishModes = ['pull_request', 'branch', 'ask', 'none'] as const;
const text = z.string().min(1);

/** Schema of `publish`, the settings for publishing the changes of an environment's runs. */
export const publishConfigSchema = z.strictObject({
  /**
   * Mode of publishing. With `ask`, changes wait for `POST /agent/runs/{id}/publish`. By default `ask` with
   * credentials, `none` without.
   */
  mode: z.enum(publishModes).optional(),
  /** Kind of the repository's server. By default it's derived from the URL's host. `git` supports branches only. */
  host: z.enum(['github', 'gitlab', 'git']).optional(),
  /** API URL of a GitHub Enterprise or GitLab server. By default the usual address at the repository's host. */
  api_url: z.url({ protocol: /^https?$/ }).optional(),
  token_file: text.optional(),
  /** User name to send with the token over HTTP. */
  user: text.optional(),
  /** GitHub App that is used instead of a token. */
  app: z
    .strictObject({
      id: z.number().int().positive(),
      private_key_file: text,
      installation_id: z.number().int().positive().optional(),
    })
    .optional(),
  draft: z.boolean().optional(),
  /** True if people can merge pull requests through slash-agent. The default is false. */
  merge: z.boolean().optional(),
  /** Templates of the branch, title and body, see `fillTemplate`. */
  branch: text
    .refine((name) => /\{(run|conversation)\}/.test(name), {
      error: 'must contain {run} or {conversation}, so that each conversation has its own branch',
    })
    .optional(),
  title: text.optional(),
  body: z.string().optional(),
  /** Target branch. By default the branch that runs start from. */
  base: text.optional(),
  reviewers: z.array(text).max(15).optional(),
  labels: z.array(text).max(20).optional(),
  /** Name and email of the commits' author. */
  author: z.strictObject({ name: text, email: text }).optional(),
  /** File with the SSH key that signs the commits. */
  signing_key_file: text.optional(),
});
export type PublishConfig = z.infer<typeof publishConfigSchema>;
export type PublishMode = (typeof publishModes)[number];

/** Makes the paths absolute, because in the environments file they're relative to its folder. */
export function withAbsolutePaths(
  publish: PublishConfig,
  absolute: (path: string) => string,
): PublishConfig {
  const { token_file: token, signing_key_file: signing, app } = publish;
  return {
    ...publish,
    ...(token !== undefined && { token_file: absolute(token) }),
    ...(signing !== undefined && { signing_key_file: absolute(signing) }),
    ...(app && { app: { ...app, private_key_file: absolute(app.private_key_file) } }),
  };
}
